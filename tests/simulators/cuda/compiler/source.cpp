#include "compiler/source.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace pintle::simulator {
namespace {

constexpr std::string_view kernel_mark = "annotate(\"global\")";
constexpr std::string_view bounds_mark = "annotate(\"__launch_bounds__=";
constexpr std::string_view shared_mark = "pintle_simulator_shared";

bool is_of_name(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

/// The identifier before the parenthesis at `open`.
std::string_view name_before(std::string_view text, std::size_t open) {
  std::size_t end = open;
  while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
  std::size_t begin = end;
  while (begin > 0 && is_of_name(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

/// The end of what the parenthesis at `open` encloses.
std::size_t behind_parenthesis(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return text.size();
}

/// The name of the function whose attributes begin at `at`.
FoundKernel kernel_at(std::string_view text, std::size_t at) {
  FoundKernel kernel;
  std::size_t open = text.find("))", at);
  while (open != std::string_view::npos) {
    open = text.find('(', open);
    if (open == std::string_view::npos) break;
    const std::string_view name = name_before(text, open);
    const std::size_t end = behind_parenthesis(text, open);
    if (name != "__attribute__") {
      kernel.name = name;
      break;
    }
    const std::string_view attribute = text.substr(open, end - open);
    const std::size_t digit = attribute.find_first_of("0123456789");
    if (attribute.find(bounds_mark) != std::string_view::npos && digit != std::string_view::npos)
      kernel.max_threads = std::atoi(std::string(attribute.substr(digit)).c_str());
    open = end;
  }
  return kernel;
}

bool has_word_before(std::string_view text, std::size_t at, std::string_view word) {
  while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1])) != 0) --at;
  return text.substr(0, at).ends_with(word);
}

/// "extern shared T name[];" is the group's dynamic memory; any other shared variable belongs to the thread, which runs
/// one group at a time.
std::string with_shared_memory(std::string text) {
  std::string done;
  std::string_view rest = text;
  for (std::size_t at = rest.find(shared_mark); at != std::string_view::npos; at = rest.find(shared_mark)) {
    const std::size_t end = rest.find(';', at);
    if (has_word_before(rest, at, "extern") && end != std::string_view::npos) {
      const std::size_t bracket = rest.find('[', at);
      const std::string_view name = name_before(rest, bracket);
      const std::string_view type =
          rest.substr(at + shared_mark.size(), rest.rfind(name, bracket) - at - shared_mark.size());
      done += rest.substr(0, rest.rfind("extern", at));
      done += "static thread_local " + std::string(type) + "* const " + std::string(name) + " = (decltype(" +
              std::string(name) + "))pintle_simulator::host->dynamic_shared()";
      rest.remove_prefix(end);
      continue;
    }
    done += rest.substr(0, at);
    done += "static thread_local";
    rest.remove_prefix(at + shared_mark.size());
  }
  return done + std::string(rest);
}

std::string table_of(const std::vector<FoundKernel>& kernels) {
  std::string text =
      "\n# 1 \"pintle_simulator_table\"\nnamespace pintle_simulator {\nstatic const host_entry entries[] = {\n";
  for (const FoundKernel& kernel : kernels) {
    const std::string of = "entry<&::" + kernel.name + ">";
    text += "{\"" + kernel.name + "\", " + of + "::call, " + of + "::parameters, " + of + "::count, " +
            std::to_string(kernel.max_threads) + "},\n";
  }
  text += "{nullptr, nullptr, nullptr, 0, 0}};\n";
  text += "static place* here() { return &item; }\nstatic void take(const services* given) { host = given; }\n}\n";
  text +=
      "extern \"C\" __attribute__((visibility(\"default\"))) const pintle_simulator::host_module "
      "pintle_simulator_module;\n";
  text += "const pintle_simulator::host_module pintle_simulator_module = {pintle_simulator::entries, " +
          std::to_string(kernels.size()) + ", pintle_simulator::here, pintle_simulator::take};\n";
  return text;
}

}  // namespace

std::vector<FoundKernel> find_kernels(std::string_view text) {
  std::vector<FoundKernel> kernels;
  for (std::size_t at = text.find(kernel_mark); at != std::string_view::npos; at = text.find(kernel_mark, at + 1)) {
    FoundKernel kernel = kernel_at(text, at);
    const bool is_known = std::ranges::find(kernels, kernel.name, &FoundKernel::name) != kernels.end();
    if (!kernel.name.empty() && !is_known) kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::string host_source(std::string preprocessed, const std::vector<FoundKernel>& kernels) {
  return with_shared_memory(std::move(preprocessed)) + table_of(kernels);
}

}  // namespace pintle::simulator
