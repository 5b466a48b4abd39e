#include "base/c_value_types.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/c_compiler.h"

namespace pintle::base {
namespace {

bool has_values(const Entry& entry) noexcept {
  return std::ranges::find(entry.parameters, Parameter::Kind::value, &Parameter::kind) != entry.parameters.end();
}

std::string_view trimmed(std::string_view text) noexcept {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Splits at the commas that are in no parentheses, up to the one that closes the list.
CTypes split(std::string_view list) {
  CTypes types;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t at = 0; at < list.size() && depth >= 0; ++at) {
    const char letter = list[at];
    if (letter == '(') ++depth;
    if (letter == ')') --depth;
    if (depth >= 0 && (depth != 0 || letter != ',')) continue;
    types.emplace_back(trimmed(list.substr(first, at - first)));
    first = at + 1;
  }
  return depth < 0 ? types : CTypes{};
}

bool is_array_of_addresses(const CTypes& types) {
  if (types.size() != 1) return false;
  std::string type = types[0];
  std::erase(type, ' ');
  return type == "void*const*";
}

}  // namespace

CTypes c_types_in(std::string_view words, std::string_view entry) {
  constexpr std::string_view begin = "(*)(";
  const auto asked = words.find(fmt::format("struct pintle_ask_{} *", entry));
  if (asked == std::string_view::npos) return {};
  const std::string_view line = words.substr(asked, words.find('\n', asked) - asked);
  const auto list = line.find(begin);
  if (list == std::string_view::npos) return {};
  CTypes types = split(line.substr(list + begin.size()));
  if (!types.empty()) types.erase(types.begin());
  return is_array_of_addresses(types) ? CTypes{} : types;
}

Result<std::vector<CTypes>> c_value_types(std::string_view name, std::span<const std::string> command,
                                          std::string_view source, std::span<const Entry> entries) {
  std::vector<CTypes> types(entries.size());
  if (std::ranges::none_of(entries, has_values)) return types;
  std::string text(source);
  text += "\n";
  for (const Entry& entry : entries) {
    if (has_values(entry)) text += fmt::format("struct pintle_ask_{0}* const pintle_asked_{0} = &{0};\n", entry.name);
  }
  PINTLE_ASSIGN(words, check_c(name, command, text));
  for (std::size_t index = 0; index < entries.size(); ++index)
    if (has_values(entries[index])) types[index] = c_types_in(words, entries[index].name);
  return types;
}

}  // namespace pintle::base
