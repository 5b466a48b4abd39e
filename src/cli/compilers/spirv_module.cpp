#include "cli/compilers/spirv_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>

#include "base/quote.h"

namespace pintle::cli {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t magic = 0x07230203;
constexpr std::size_t header_words = 5;
constexpr std::uint32_t entry_point = 15;  // OpEntryPoint: model, function, name, interface...
constexpr std::size_t name_at = 3;
constexpr std::uint32_t compute_model = 5;
constexpr std::uint32_t type_int = 21;       // OpTypeInt: result, width, signedness
constexpr std::uint32_t constant = 43;       // OpConstant: type, result, value
constexpr std::uint32_t constant_null = 46;  // OpConstantNull: type, result

Words words_of(std::span<const std::byte> code) {
  Words words(code.size() / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), code.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

Code bytes_of(const Words& words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

/// A string as SPIR-V has it: a zero behind it, filled up to words.
Words literal(std::string_view text) {
  Words words(text.size() / 4 + 1);
  if (!text.empty()) std::memcpy(words.data(), text.data(), text.size());
  return words;
}

/// Words of the literal at the beginning of `words`: the last holds a zero byte.
std::size_t literal_length(std::span<const std::uint32_t> words) {
  const auto has_zero = [](std::uint32_t word) { return ((word - 0x01010101u) & ~word & 0x80808080u) != 0; };
  const auto last = std::ranges::find_if(words, has_zero);
  return static_cast<std::size_t>(last - words.begin()) + (last == words.end() ? 0 : 1);
}

std::string literal_text(std::span<const std::uint32_t> words) {
  const auto bytes = std::as_bytes(words.first(literal_length(words)));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return std::string(text.substr(0, text.find('\0')));
}

/// clang writes the 0 of an unsigned integer as a null, which may not be the index of a member.
bool is_null_of(std::span<const std::uint32_t> instruction, const std::set<std::uint32_t>& integers) {
  return (instruction[0] & 0xffff) == constant_null && instruction.size() == 3 && integers.contains(instruction[1]);
}

Words zero_of(std::span<const std::uint32_t> null) { return {4u << 16 | constant, null[1], null[2], 0}; }

/// The instruction with another name.
Words renamed(std::span<const std::uint32_t> instruction, std::string_view name) {
  Words result(instruction.begin(), instruction.begin() + name_at);
  const Words text = literal(name);
  result.insert(result.end(), text.begin(), text.end());
  const auto interface = instruction.subspan(name_at + literal_length(instruction.subspan(name_at)));
  result.insert(result.end(), interface.begin(), interface.end());
  result[0] = static_cast<std::uint32_t>(result.size() << 16 | entry_point);
  return result;
}

Error no_module(std::string_view name, std::string_view what) {
  return {Errc::build_failed, fmt::format("Module of the entry {} {}.", base::quote(name), what)};
}

}  // namespace

Result<Code> with_entry_name(const Code& module, std::string_view name) {
  const Words words = words_of(module);
  if (module.size() % 4 != 0 || words.size() < header_words || words[0] != magic)
    return no_module(name, "is no SPIR-V of this machine's byte order");
  Words result(words.begin(), words.begin() + header_words);
  std::size_t found = 0;
  std::set<std::uint32_t> integers;  // of 32 bits
  for (std::size_t at = header_words; at < words.size();) {
    const std::size_t length = words[at] >> 16;
    if (length == 0 || length > words.size() - at)
      return no_module(name, fmt::format("has an instruction of {} words at word {}", length, at));
    const auto instruction = std::span(words).subspan(at, length);
    const bool entry = (words[at] & 0xffff) == entry_point && length > name_at && words[at + 1] == compute_model;
    if ((words[at] & 0xffff) == type_int && length == 4 && instruction[2] == 32) integers.insert(instruction[1]);
    const Words next = entry                               ? renamed(instruction, name)
                       : is_null_of(instruction, integers) ? zero_of(instruction)
                                                           : Words(instruction.begin(), instruction.end());
    result.insert(result.end(), next.begin(), next.end());
    found += entry ? 1 : 0;
    at += length;
  }
  if (found != 1) return no_module(name, fmt::format("has {} compute entry points instead of one", found));
  return bytes_of(result);
}

Result<std::vector<std::string>> entry_names(std::span<const std::byte> code) {
  const Words words = words_of(code);
  const auto wrong = [](std::size_t at) {
    return Error(Errc::invalid_argument,
                 fmt::format("The code is no SPIR-V of this machine's byte order at word {}.", at));
  };
  std::vector<std::string> names;
  if (code.size() % 4 != 0 || words.empty()) return wrong(words.size());
  for (std::size_t at = 0; at < words.size();) {
    const bool is_header = words[at] == magic;
    const std::size_t length = is_header ? header_words : words[at] >> 16;
    if (length == 0 || length > words.size() - at || (at == 0 && !is_header)) return wrong(at);
    const auto instruction = std::span(words).subspan(at, length);
    if (!is_header && (words[at] & 0xffff) == entry_point && length > name_at)
      names.push_back(literal_text(instruction.subspan(name_at)));
    at += length;
  }
  return names;
}

std::vector<std::string> group_macros(const Entry& entry) {
  const Grid& size = entry.group_size;
  return {fmt::format("PINTLE_GROUP_X={}", size.x), fmt::format("PINTLE_GROUP_Y={}", size.y),
          fmt::format("PINTLE_GROUP_Z={}", size.z)};
}

}  // namespace pintle::cli
