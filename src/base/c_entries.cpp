#include "base/c_entries.h"

#include <fmt/format.h>

#include <utility>

#include "base/c_compiler.h"
#include "base/c_value_types.h"
#include "base/contain.h"
#include "base/quote.h"

namespace pintle::base {
namespace {

/// Dtypes that C has no type for come as integers of their size.
std::string_view c_type(DType dtype) noexcept {
  switch (dtype) {
    case DType::boolean: return "_Bool";
    case DType::i8: return "int8_t";
    case DType::i16: return "int16_t";
    case DType::i32: return "int32_t";
    case DType::i64: return "int64_t";
    case DType::u16:
    case DType::bf16: return "uint16_t";
    case DType::u32: return "uint32_t";
    case DType::u64: return "uint64_t";
    case DType::f16: return "_Float16";
    case DType::f32: return "float";
    case DType::f64: return "double";
    case DType::complex64: return "float _Complex";
    case DType::u8:
    case DType::f8_e4m3fn:
    case DType::f8_e5m2: break;
  }
  return "uint8_t";
}

/// A parameter of the function, its argument, and what comes before the call.
struct Passed {
  std::string type, value, before{};
};

Passed passed_buffer(const Parameter& parameter, std::size_t index) {
  const bool is_written = parameter.kind == Parameter::Kind::local || writes(parameter.access);
  const std::string type = fmt::format("{}{}*", is_written ? "" : "const ", c_type(parameter.dtype));
  return {type, fmt::format("({})arguments[{}]", type, index)};
}

Passed passed_scalar(const Parameter& parameter, std::size_t index) {
  const std::string_view type = c_type(parameter.dtype);
  return {std::string(type), fmt::format("*(const {}*)arguments[{}]", type, index)};
}

bool strip_end(std::string_view& text, std::string_view end) {
  const bool has_end = text.ends_with(end);
  if (has_end) text.remove_suffix(end.size());
  while (text.ends_with(' ')) text.remove_suffix(1);
  return has_end;
}

/// What the function takes: `type` itself, or a pointer to it that is const.
struct TakenValue {
  std::string_view type;
  bool is_pointer;
};

/// No type: it is a pointer to bytes that the function names itself, or anything else.
TakenValue taken_value(std::string_view given) {
  constexpr std::string_view qualifier = "const ";
  while (strip_end(given, "restrict") || strip_end(given, "const")) {
  }
  const bool is_pointer = strip_end(given, "*"), is_const = given.starts_with(qualifier);
  if (is_const) given.remove_prefix(qualifier.size());
  const bool is_opaque = is_pointer && (!is_const || given == "void");
  return {is_opaque ? std::string_view() : given, is_pointer};
}

/// The compiler's error has both sizes.
std::string check_size(const Parameter& parameter, std::string_view type, std::size_t index) {
  const std::string each = fmt::format("{}", bytes_of(parameter.dtype) * 4);
  const std::string size = parameter.lanes == 3
                               ? fmt::format("sizeof({0}) == {1} ? {2} : sizeof({0})", type, each, parameter.bytes)
                               : fmt::format("sizeof({})", type);
  return fmt::format("  char (*const pintle_size_{0})[{1}] = (char (*)[{2}])0;\n  (void)pintle_size_{0};\n", index,
                     parameter.bytes, size);
}

/// A vector may be an array.
std::string check_member(const Parameter& parameter, std::string_view type, const Member& member) {
  const std::string place = fmt::format("(({}*)0)->{}", type, member.name);
  const std::size_t each = bytes_of(member.dtype);
  std::string same = fmt::format("sizeof({}) == {}", place, each * member.lanes);
  if (member.lanes == 3) same = fmt::format("({} || sizeof({}) == {})", same, place, each * 4);
  if (member.lanes == 1) {
    const bool is_long = member.dtype == DType::i64 || member.dtype == DType::u64;
    same += fmt::format(" && _Generic({}, {}: 1{}, default: 0)", place, c_type(member.dtype),
                        !is_long                     ? ""
                        : member.dtype == DType::i64 ? ", long long: 1"
                                                     : ", unsigned long long: 1");
  }
  return fmt::format(
      "  _Static_assert(__builtin_offsetof({}, {}) == {} && {}, \"member {} of {} is {}{} at {} in the signature\");\n",
      type, member.name, member.offset, same, member.name, parameter.name, name(member.dtype),
      member.lanes == 1 ? std::string() : fmt::format("x{}", member.lanes), member.offset);
}

/// The bytes may lie anywhere, so the function gets a copy, aligned as its type wants.
Passed passed_value(const Parameter& parameter, std::size_t index, std::string_view given) {
  const auto [type, is_pointer] = taken_value(given);
  if (type.empty()) return {"const void*", fmt::format("arguments[{}]", index)};
  std::string before = check_size(parameter, type, index);
  for (const Member& member : parameter.members) before += check_member(parameter, type, member);
  before += fmt::format("  {0} pintle_value_{1};\n  __builtin_memcpy(&pintle_value_{1}, arguments[{1}], {2});\n", type,
                        index, parameter.bytes);
  return {is_pointer ? fmt::format("const {}*", type) : std::string(type),
          fmt::format("{}pintle_value_{}", is_pointer ? "&" : "", index), std::move(before)};
}

Passed passed(const Parameter& parameter, std::size_t index, const CTypes& types) {
  switch (parameter.kind) {
    case Parameter::Kind::scalar: return passed_scalar(parameter, index);
    case Parameter::Kind::value:
      return passed_value(parameter, index, index < types.size() ? types[index] : std::string());
    case Parameter::Kind::image:
    case Parameter::Kind::texel_buffer:
      return {"const pintle_cpu_image*", fmt::format("(const pintle_cpu_image*)arguments[{}]", index)};
    case Parameter::Kind::sampler:
      return {"const pintle_cpu_sampler*", fmt::format("(const pintle_cpu_sampler*)arguments[{}]", index)};
    case Parameter::Kind::buffer:
    case Parameter::Kind::local: break;
  }
  return passed_buffer(parameter, index);
}

/// The function's type, a function that calls it with values out of the array, and the pointer to the one of the two
/// that fits. The comparison is an assignment, so that the compiler's error has both types.
constexpr std::string_view text_of_entry = R"(
/* {4} */
typedef void pintle_type_{0}(const pintle_group*{1});
static pintle_type_{0}* const pintle_typed_{0} = _Generic(&{0}, pintle_cpu_kernel: (pintle_type_{0}*)0, default: &{0});
static void pintle_call_{0}(const pintle_group* group, void* const* arguments) {{
  (void)arguments;
{3}  pintle_typed_{0}(group{2});
}}
extern const pintle_cpu_kernel pintle_entry_{0};
__attribute__((visibility("default"))) const pintle_cpu_kernel pintle_entry_{0} =
    _Generic(&{0}, pintle_cpu_kernel: &{0}, default: &pintle_call_{0});
)";

std::string text_of(const Entry& entry, const CTypes& given) {
  std::string types, values, before;
  for (std::size_t index = 0; index < entry.parameters.size(); ++index) {
    const Passed argument = passed(entry.parameters[index], index, given);
    types += ", " + argument.type;
    values += ", " + argument.value;
    before += argument.before;
  }
  return fmt::format(fmt::runtime(text_of_entry), entry.name, types, values, before, entry.signature());
}

std::string with_types(std::string_view source, std::span<const Entry> entries, std::span<const CTypes> types) {
  std::string text(source);
  text += "\n#line 1 \"the signatures\"\n#pragma GCC diagnostic error \"-Wincompatible-pointer-types\"\n";
  for (std::size_t index = 0; index < entries.size(); ++index) text += text_of(entries[index], types[index]);
  return text;
}

/// Whether the compiler does not know the name, in gcc's words or in clang's.
bool is_missing(std::string_view words, std::string_view name) {
  const auto says = [&](std::string_view text) { return words.find(text) != std::string_view::npos; };
  return says(fmt::format("undeclared identifier '{}'", name)) || says(fmt::format("'{}' undeclared", name)) ||
         says(fmt::format("\xe2\x80\x98{}\xe2\x80\x99 undeclared", name));
}

/// The source alone is compiled again to tell its own mistakes, which may seem to be in the text behind it.
Result<std::vector<std::byte>> compile(std::string_view name, std::span<const std::string> command,
                                       std::string_view source, std::span<const Entry> entries, Lacking lacking) {
  PINTLE_ASSIGN(types, c_value_types(name, command, source, entries));
  auto code = compile_c(name, command, with_types(source, entries, types));
  if (code || code.error().code() != Errc::build_failed) return code;
  PINTLE_TRY(compile_c(name, command, source));
  std::string missing;
  std::vector<Entry> others;
  for (const Entry& entry : entries) {
    if (!is_missing(code.error().message(), entry.name)) others.push_back(entry);
    else missing += fmt::format("{}{}", missing.empty() ? "" : ", ", quote(entry.name));
  }
  if (missing.empty()) return code;
  if (lacking == Lacking::left_out && !others.empty()) return compile(name, command, source, others, lacking);
  return Error(Errc::build_failed,
               fmt::format("[Program {}] lacks entry points: the source has no function {}.", quote(name), missing));
}

}  // namespace

std::string entry_symbol(std::string_view entry) { return fmt::format("pintle_entry_{}", entry); }

std::string with_entries(std::string_view source, std::span<const Entry> entries) {
  return with_types(source, entries, std::vector<CTypes>(entries.size()));
}

Result<std::vector<std::byte>> compile_entries(std::string_view name, std::span<const std::string> command,
                                               std::string_view source, std::span<const Entry> entries,
                                               Lacking lacking) {
  return contain("compiling", [&] { return compile(name, command, source, entries, lacking); });
}

}  // namespace pintle::base
