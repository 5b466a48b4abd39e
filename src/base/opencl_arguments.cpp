#include "base/opencl_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/parse.h"
#include "base/quote.h"
#include "base/signature.h"

namespace pintle::base {
namespace {

using Space = OpenClArgument::Space;
using Kind = OpenClType::Kind;
using enum Number::Kind;

constexpr std::array<std::pair<std::string_view, Number>, 18> numbers{{
    {"char", {signed_integer, 1}},
    {"uchar", {unsigned_integer, 1}},
    {"unsigned char", {unsigned_integer, 1}},
    {"bool", {unsigned_integer, 1}},
    {"short", {signed_integer, 2}},
    {"ushort", {unsigned_integer, 2}},
    {"unsigned short", {unsigned_integer, 2}},
    {"half", {floating, 2}},
    {"int", {signed_integer, 4}},
    {"uint", {unsigned_integer, 4}},
    {"unsigned int", {unsigned_integer, 4}},
    {"unsigned", {unsigned_integer, 4}},
    {"float", {floating, 4}},
    {"long", {signed_integer, 8}},
    {"ulong", {unsigned_integer, 8}},
    {"unsigned long", {unsigned_integer, 8}},
    {"size_t", {unsigned_integer, 8}},
    {"double", {floating, 8}},
}};

constexpr std::array<std::string_view, 16> qualifiers{
    "const", "volatile", "restrict",  "__restrict",  "global",     "__global",     "constant",   "__constant",
    "local", "__local",  "read_only", "__read_only", "write_only", "__write_only", "read_write", "__read_write"};

std::string_view trimmed(std::string_view text) {
  const auto first = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(first);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Takes qualifiers away, before and behind.
std::string_view unqualified(std::string_view text) {
  for (bool again = true; std::exchange(again, false);) {
    text = trimmed(text);
    for (const std::string_view word : qualifiers) {
      if (text.starts_with(word) && text.substr(word.size()).starts_with(' ')) text.remove_prefix(word.size());
      else if (text.ends_with(word) && text.size() > word.size() &&
               std::string_view(" *").contains(text[text.size() - word.size() - 1]))
        text.remove_suffix(word.size());
      else continue;
      again = true;
      break;
    }
  }
  return text;
}

/// "_Atomic(int)" and "atomic_int" are the number within.
std::string_view without_atomic(std::string_view text) {
  if (text.starts_with("atomic_")) return text.substr(7);
  if (text.starts_with("_Atomic(") && text.ends_with(")")) return text.substr(8, text.size() - 9);
  return text;
}

/// The components of a vector, taken off the name: "float4", or as clang's own output has it.
std::uint32_t take_components(std::string_view& text) {
  constexpr std::string_view attribute = " __attribute__((ext_vector_type(";
  const auto at = text.find(attribute);
  const std::string_view digits = at != std::string_view::npos
                                      ? text.substr(at + attribute.size(), text.find(')', at) - at - attribute.size())
                                      : text.substr(text.find_last_not_of("0123456789") + 1);
  const auto count = parse_number<std::uint32_t>(digits);
  constexpr std::array<std::uint32_t, 5> counts{2, 3, 4, 8, 16};
  if (!count || std::ranges::find(counts, *count) == counts.end()) return 1;
  text = at != std::string_view::npos ? text.substr(0, at) : text.substr(0, text.size() - digits.size());
  return *count;
}

bool is_opaque(std::string_view text) {
  constexpr std::array<std::string_view, 4> all{"event_t", "queue_t", "clk_event_t", "reserve_id_t"};
  return (text.starts_with("image") && text.ends_with("_t")) || std::ranges::find(all, text) != all.end();
}

/// Kind::unknown for what is a number or the program's own.
Kind kind_of(std::string_view text) {
  if (text.starts_with("struct ") || text.starts_with("union ")) return Kind::record;
  if (text == "image2d_t" || text == "image3d_t" || text == "image1d_buffer_t") return Kind::image;
  if (text == "sampler_t") return Kind::sampler;
  return is_opaque(text) ? Kind::opaque : Kind::unknown;
}

bool has_texels(const Parameter& parameter) noexcept {
  return parameter.kind == Parameter::Kind::image || parameter.kind == Parameter::Kind::texel_buffer;
}

/// OpenCL has a texel buffer as an image of one dimension.
std::uint8_t dimensions_of(const Parameter& parameter) noexcept {
  return parameter.kind == Parameter::Kind::texel_buffer ? 1 : parameter.dimensions;
}

std::string what_of(const OpenClArgument& argument) {
  if (argument.parsed.kind == Kind::image || argument.parsed.kind == Kind::sampler)
    return fmt::format("{}{}{}", argument.access ? name(*argument.access) : "", argument.access ? " " : "",
                       argument.type);
  const std::string bytes = argument.bytes == 0 ? "" : fmt::format("{} bytes", argument.bytes);
  const std::string_view between = argument.type.empty() || bytes.empty() ? "" : ", ";
  const std::string what = fmt::format("{}{}{}", argument.type, between, bytes);
  return what.empty() ? std::string(name(argument.space)) : fmt::format("{} ({})", name(argument.space), what);
}

std::string declared(const Parameter& parameter) {
  switch (parameter.kind) {
    case Parameter::Kind::buffer:
      return fmt::format("a buffer ({} {}[])", name(parameter.access), text_of(parameter.dtype, parameter.lanes));
    case Parameter::Kind::scalar: return fmt::format("a scalar ({})", name(parameter.dtype));
    case Parameter::Kind::local: return fmt::format("local memory ({}[])", name(parameter.dtype));
    case Parameter::Kind::image:
    case Parameter::Kind::sampler:
    case Parameter::Kind::texel_buffer: return type_text(parameter);
    case Parameter::Kind::value: break;
  }
  return fmt::format("a value ({}, {} bytes)", type_text(parameter), opencl_bytes(parameter));
}

std::string disagree(const OpenClArgument& argument, const Parameter& parameter) {
  return fmt::format("has an argument that is {} for the parameter {}, declared as {}", what_of(argument),
                     quote(parameter.name), declared(parameter));
}

bool is_kind(const OpenClArgument& argument, const Parameter& parameter) {
  const OpenClType& type = argument.parsed;
  if (type.kind == Kind::opaque) return false;
  if (type.kind == Kind::sampler || parameter.kind == Parameter::Kind::sampler)
    return type.kind == Kind::sampler && parameter.kind == Parameter::Kind::sampler;
  if (type.kind == Kind::image || has_texels(parameter))
    return type.kind == Kind::image && has_texels(parameter) && !parameter.is_sampled &&
           type.dimensions == dimensions_of(parameter);
  if (argument.space == Space::untold) return true;
  switch (parameter.kind) {
    case Parameter::Kind::buffer: return argument.space == Space::global || argument.space == Space::constant;
    case Parameter::Kind::local: return argument.space == Space::local;
    case Parameter::Kind::scalar: return argument.space == Space::by_value && type.kind != Kind::record;
    default: return argument.space == Space::by_value;
  }
}

/// A vector of three takes the place of four.
std::uint32_t vector_bytes(std::uint32_t each, std::uint32_t components) noexcept {
  return each * (components == 3 ? 4 : components);
}

/// A struct is no number; bytes may be anything of their size.
bool is_struct(const OpenClType& type, const Parameter& parameter) {
  if (type.kind != Kind::number) return true;
  return parameter.members.empty() && vector_bytes(type.number.bytes, type.components) == parameter.bytes;
}

/// Bytes may be anything, and what a program defines itself is not known.
bool is_type(const OpenClArgument& argument, const Parameter& parameter) {
  const OpenClType& type = argument.parsed;
  if (type.kind == Kind::image || type.kind == Kind::sampler) return true;  // as is_kind has found
  const bool is_by_value = parameter.kind == Parameter::Kind::scalar || parameter.kind == Parameter::Kind::value;
  const bool is_vector = parameter.lanes > 1;
  if (type.kind != Kind::number && argument.bytes != 0 && parameter.kind != Parameter::Kind::local &&
      argument.bytes != (is_by_value ? opencl_bytes(parameter) : sizeof(std::uint64_t)))
    return false;
  if (parameter.kind == Parameter::Kind::value && !is_vector) return is_struct(type, parameter);
  if (type.kind != Kind::number) return !is_vector || type.kind != Kind::record;
  if (!is_by_value && parameter.dtype == DType::u8) return true;
  const std::uint32_t numbers = parameter.lanes * (parameter.dtype == DType::complex64 ? 2 : 1);
  return (!(is_by_value || is_vector) || type.components == numbers) && may_declare(parameter.dtype, type.number);
}

std::optional<std::string> wrong_access(const OpenClArgument& argument, const Parameter& parameter) {
  const auto say = [&](std::string_view how) {
    return fmt::format("{} the argument for the parameter {}, declared ({})", how, quote(parameter.name),
                       name(parameter.access));
  };
  if (has_texels(parameter) && argument.access && *argument.access != parameter.access)
    return say(fmt::format("has as ({}) {}", name(*argument.access), argument.type));
  if (parameter.kind != Parameter::Kind::buffer) return std::nullopt;
  if (writes(parameter.access) && argument.space == Space::constant) return say("has in constant memory");
  if (writes(parameter.access) && argument.is_const) return say("has as a pointer to const");
  if (!writes(parameter.access) && argument.is_written) return say("writes through");
  if (parameter.access == Access::write && argument.is_read) return say("reads through");
  return std::nullopt;
}

/// Names may differ, but a name of another parameter of the same kind says that the order differs.
bool is_anothers(const OpenClArgument& argument, const Parameter& parameter, const Entry& entry) {
  if (argument.name.empty() || argument.name == parameter.name) return false;
  return std::ranges::any_of(entry.parameters, [&](const Parameter& other) {
    return other.name == argument.name && other.kind == parameter.kind;
  });
}

}  // namespace

std::string_view name(OpenClArgument::Space space) noexcept {
  switch (space) {
    case Space::global: return "global";
    case Space::constant: return "constant";
    case Space::local: return "local";
    case Space::untold: return "a number or an address";
    case Space::by_value: break;
  }
  return "by value";
}

std::uint32_t opencl_bytes(const Parameter& parameter) noexcept {
  const auto each = static_cast<std::uint32_t>(bytes_of(parameter.dtype));
  if (parameter.kind == Parameter::Kind::scalar || parameter.lanes > 1) return vector_bytes(each, parameter.lanes);
  return parameter.bytes;
}

OpenClType parse_opencl_type(std::string_view text) {
  OpenClType type;
  text = unqualified(text);
  while (text.ends_with('*')) {
    type.is_pointer = true;
    text.remove_suffix(1);
    text = unqualified(text);
  }
  text = unqualified(without_atomic(text));
  type.kind = kind_of(text);
  if (type.kind == Kind::image) type.dimensions = static_cast<std::uint8_t>(text[5] - '0');
  if (type.kind != Kind::unknown) return type;
  const std::uint32_t components = take_components(text);
  const auto* const known = std::ranges::find(numbers, text, &std::pair<std::string_view, Number>::first);
  if (known == numbers.end()) return type;
  type.kind = Kind::number;
  type.number = known->second;
  type.components = components;
  return type;
}

std::optional<std::string> difference(const Entry& entry, std::span<const OpenClArgument> arguments) {
  const std::size_t count = entry.parameters.size();
  const bool is_local_last = entry.local_bytes > 0 && arguments.size() == count + 1;
  if (arguments.size() != count && !is_local_last)
    return fmt::format("has ({}) arguments in the program, but ({}) parameters are declared", arguments.size(), count);
  for (std::size_t index = 0; index < count; ++index) {
    const OpenClArgument& argument = arguments[index];
    const Parameter& parameter = entry.parameters[index];
    if (!is_kind(argument, parameter) || !is_type(argument, parameter)) return disagree(argument, parameter);
    if (auto wrong = wrong_access(argument, parameter)) return wrong;
    if (is_anothers(argument, parameter, entry))
      return fmt::format("has the argument {} where the parameter {} is declared", quote(argument.name),
                         quote(parameter.name));
  }
  if (!is_local_last || arguments[count].space == Space::local) return std::nullopt;
  return fmt::format("has a last argument that is {}, where local memory of ({} bytes) is declared",
                     what_of(arguments[count]), entry.local_bytes);
}

}  // namespace pintle::base
