#include "opencl_c/llvm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pintle::opencl_c {

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Texts parts_of(std::string_view text) {
  Texts parts;
  std::size_t first = 0, depth = 0;
  bool is_quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '"') is_quoted = !is_quoted;
    else if (is_quoted) continue;
    else if (std::string_view("([{<").contains(letter)) ++depth;
    else if (std::string_view(")]}>").contains(letter)) depth -= depth == 0 ? 0 : 1;
    else if (letter == ',' && depth == 0) {
      parts.push_back(trimmed(text.substr(first, at - first)));
      first = at + 1;
    }
  }
  if (!trimmed(text.substr(first)).empty()) parts.push_back(trimmed(text.substr(first)));
  return parts;
}

std::size_t closing(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  bool is_quoted = false;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

std::string_view value_in(std::string_view operand) {
  const auto at = operand.rfind('%');
  if (at == std::string_view::npos) return {};
  const std::string_view rest = operand.substr(at);
  return rest.substr(0, rest.find_first_of(" ,)", 1));
}

std::string quoted(std::string_view part) {
  const auto first = part.find('"'), last = part.rfind('"');
  return first == last ? std::string() : std::string(part.substr(first + 1, last - first - 1));
}

std::string_view LlvmRecord::field(std::string_view name) const {
  for (const std::string_view one : fields) {
    if (one.starts_with(name) && one.substr(name.size()).starts_with(": ")) return one.substr(name.size() + 2);
  }
  return {};
}

Metadata::Metadata(std::string_view text) {
  for (auto at = text.find("\n!"); at != std::string_view::npos; at = text.find("\n!", at + 1)) {
    const std::string_view line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    const auto equals = line.find(" = ");
    if (equals == std::string_view::npos) continue;
    std::string_view value = line.substr(equals + 3);
    if (value.starts_with("distinct ")) value.remove_prefix(9);
    if (value.starts_with("!{") && value.ends_with('}'))
      lists_.emplace(line.substr(0, equals), value.substr(2, value.size() - 3));
    else if (value.starts_with("!DI") && value.ends_with(')'))
      records_.emplace(line.substr(0, equals), value.substr(1));
  }
}

Texts Metadata::of(std::string_view definition, std::string_view kind) const {
  const std::string before = fmt::format(" !{} ", kind);
  const auto at = definition.find(before);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = definition.substr(at + before.size());
  return list(rest.substr(0, rest.find_first_of(" {")));
}

Texts Metadata::list(std::string_view name) const {
  const auto found = lists_.find(name);
  return found == lists_.end() ? Texts() : parts_of(found->second);
}

LlvmRecord Metadata::record(std::string_view name) const {
  const auto found = records_.find(name);
  if (found == records_.end()) return {};
  const std::string_view text = found->second;
  const auto open = std::min(text.find('('), text.size() - 1);
  return {text.substr(0, open), parts_of(text.substr(open + 1, text.size() - open - 2))};
}

}  // namespace pintle::opencl_c
