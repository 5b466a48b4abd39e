// Slang to SPIR-V for Vulkan, one module for each entry, with bindings in the order of the signature.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "base/quote.h"
#include "cli/compilers/slang.h"
#include "cli/compilers/slang_signatures.h"
#include "cli/compilers/spirv_module.h"

namespace pintle::cli {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t header_words = 5;
constexpr std::uint32_t op_source = 3, op_name = 5, op_variable = 59, op_decorate = 71;
constexpr std::uint32_t binding = 33;
constexpr std::array<std::uint32_t, 4> outside{0, 2, 9, 12};  // UniformConstant, Uniform, PushConstant, StorageBuffer
constexpr std::string_view own_prefix = "entryPointParams.";  // before the names of an entry's own parameters

/// Calls `visit` with the words of each instruction, which it may change.
template <class Visit>
void for_each_instruction(Words& words, Visit visit) {
  for (std::size_t at = header_words; at < words.size();) {
    const std::size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at) return;  // `with_entry_name` refuses such a module
    visit(words[at] & 0xffff, std::span(words).subspan(at, length));
    at += length;
  }
}

std::string_view text_in(std::span<const std::uint32_t> words) {
  const std::string_view text(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  return text.substr(0, text.find('\0'));
}

/// The number that each buffer, image or sampler gets, by the name that the module gives its variable.
std::map<std::string, std::uint32_t, std::less<>> numbers_of(const SlangEntry& entry) {
  std::map<std::string, std::uint32_t, std::less<>> numbers;
  std::uint32_t next = 0;
  for (const SlangParameter& each : entry.parameters) {
    if (each.parameter.kind == Parameter::Kind::scalar) continue;
    const bool own = each.place == SlangPlace::entry;
    numbers[(own ? std::string(own_prefix) : std::string()) + each.parameter.name] = next++;
  }
  return numbers;
}

Words words_of(const Code& code) {
  Words words(code.size() / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), code.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

/// Slang numbers the bindings by rules of its own, and names itself as a language that older tools do not know.
Result<Code> bound(const Code& code, const SlangEntry& entry) {
  Words words = words_of(code);
  const auto numbers = numbers_of(entry);
  std::map<std::uint32_t, std::uint32_t> by_variable;
  for_each_instruction(words, [&](std::uint32_t op, std::span<std::uint32_t> instruction) {
    if (op == op_source && instruction.size() > 1) instruction[1] = 0;  // unknown
    if (op != op_name || instruction.size() < 3) return;
    const auto found = numbers.find(text_in(instruction.subspan(2)));
    if (found != numbers.end()) by_variable[instruction[1]] = found->second;
  });
  std::string unknown;
  for_each_instruction(words, [&](std::uint32_t op, std::span<std::uint32_t> instruction) {
    if (op != op_decorate || instruction.size() < 4 || instruction[2] != binding) return;
    const auto found = by_variable.find(instruction[1]);
    if (found == by_variable.end()) unknown = fmt::format("binding {}", instruction[3]);
    else instruction[3] = found->second;
  });
  if (!unknown.empty()) {
    return Error(Errc::build_failed, fmt::format("Module of the entry {} has a variable at {} that is no parameter.",
                                                 base::quote(entry.entry.name), unknown));
  }
  const auto bytes = std::as_bytes(std::span(words));
  return Code(bytes.begin(), bytes.end());
}

Result<Code> compile_entry(const SlangEntry& entry) {
  PINTLE_ASSIGN(module, bound(entry.module, entry));
  return with_entry_name(module, entry.entry.name);
}

}  // namespace

bool has_variable(const Code& module, std::string_view name) {
  Words words = words_of(module);
  std::set<std::uint32_t> named, variables;
  for_each_instruction(words, [&](std::uint32_t op, std::span<const std::uint32_t> instruction) {
    if (op == op_name && instruction.size() > 2 && text_in(instruction.subspan(2)) == name)
      named.insert(instruction[1]);
    if (op == op_variable && instruction.size() > 3 && std::ranges::find(outside, instruction[3]) != outside.end())
      variables.insert(instruction[2]);
  });
  return std::ranges::any_of(variables, [&](std::uint32_t variable) { return named.contains(variable); });
}

Result<Code> compile_slang_spirv(const io::PackSource& source, std::string_view) {
  PINTLE_ASSIGN(entries, slang_entries(source));
  Code modules;
  for (const SlangEntry& entry : entries) {
    if (!is_listed(source, entry.entry.name)) continue;
    auto module = compile_entry(entry);
    if (!module) return module.error().during(fmt::format("compiling the entry {}", base::quote(entry.entry.name)));
    modules.insert(modules.end(), module->begin(), module->end());
  }
  return modules;
}

}  // namespace pintle::cli
