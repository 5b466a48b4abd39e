#include "opencl_c/job.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/number.h"
#include "base/signature.h"

namespace pintle::opencl_c {
namespace {

using enum base::Number::Kind;

constexpr std::array<std::pair<std::string_view, base::Number>, 12> numbers{{{"char", {signed_integer, 1}},
                                                                             {"uchar", {unsigned_integer, 1}},
                                                                             {"bool", {unsigned_integer, 1}},
                                                                             {"short", {signed_integer, 2}},
                                                                             {"ushort", {unsigned_integer, 2}},
                                                                             {"half", {floating, 2}},
                                                                             {"int", {signed_integer, 4}},
                                                                             {"uint", {unsigned_integer, 4}},
                                                                             {"float", {floating, 4}},
                                                                             {"long", {signed_integer, 8}},
                                                                             {"ulong", {unsigned_integer, 8}},
                                                                             {"double", {floating, 8}}}};

/// The types of OpenCL C that a dtype may stand for.
std::string types_of(DType dtype, std::string_view lanes = "") {
  std::string types;
  for (const auto& [name, number] : numbers) {
    if (base::may_declare(dtype, number)) types += fmt::format("{}{}{}", types.empty() ? "" : "/", name, lanes);
  }
  return types;
}

/// "f", "i", or "fi": what the code may have where the signature has `dtype`.
std::string kinds_of(DType dtype) {
  bool floats = false, integers = false;
  for (const auto& [name, number] : numbers) {
    if (base::may_declare(dtype, number)) (number.kind == floating ? floats : integers) = true;
  }
  return fmt::format("{}{}", floats ? "f" : "", integers ? "i" : "");
}

std::string member_text(const Member& member) {
  const std::string lanes = member.lanes == 1 ? "" : fmt::format("x{}", member.lanes);
  return fmt::format("{},{}{},{},{},{},{}", member.name, name(member.dtype), lanes, kinds_of(member.dtype),
                     bytes_of(member.dtype), member.lanes, member.offset);
}

/// A vector is one member without a name; plain bytes have none.
std::string members_text(const Parameter& parameter) {
  if (parameter.lanes > 1) return member_text({"", parameter.dtype, parameter.lanes, 0});
  std::string text;
  for (const Member& member : parameter.members) text += (text.empty() ? "" : ";") + member_text(member);
  return text;
}

std::string value_text(const Parameter& parameter) {
  const std::string what = parameter.lanes > 1         ? fmt::format("{}x{}", name(parameter.dtype), parameter.lanes)
                           : parameter.members.empty() ? fmt::format("bytes[{}]", parameter.bytes)
                                                       : fmt::format("a struct of {} bytes", parameter.bytes);
  return fmt::format("value|{}|{}||{}||{}", parameter.name, what, parameter.bytes, members_text(parameter));
}

/// Bytes may be anything, and a complex number is two of its half.
std::string pointee_types(DType dtype) { return dtype == DType::u8 ? "" : types_of(dtype); }

/// As OpenCL C has it.
std::string_view access_text(Access access) {
  return !writes(access) ? "read_only" : !reads(access) ? "write_only" : "read_write";
}

std::string parameter_text(const Parameter& parameter) {
  const std::string_view dtype = name(parameter.dtype);
  const std::size_t bytes = bytes_of(parameter.dtype);
  switch (parameter.kind) {
    case Parameter::Kind::buffer: {
      const std::string_view access = !writes(parameter.access) ? "r" : !reads(parameter.access) ? "w" : "rw";
      return fmt::format("buffer|{}|{} {}[]|{}|{}|{}|", parameter.name, name(parameter.access), dtype, access, bytes,
                         pointee_types(parameter.dtype));
    }
    case Parameter::Kind::scalar:
      return fmt::format("scalar|{}|{}||{}|{}|", parameter.name, dtype, bytes,
                         types_of(parameter.dtype, parameter.dtype == DType::complex64 ? "2" : ""));
    case Parameter::Kind::value: return value_text(parameter);
    case Parameter::Kind::image:
      return fmt::format("image|{}|{}|{}|{}|{}|", parameter.name, base::type_text(parameter),
                         access_text(parameter.access), parameter.is_sampled ? 0 : parameter.dimensions,
                         parameter.texel ? static_cast<int>(*parameter.texel) : 0);
    case Parameter::Kind::texel_buffer:
      return fmt::format("image|{}|{}|{}|1|{}|", parameter.name, base::type_text(parameter),
                         access_text(parameter.access), parameter.texel ? static_cast<int>(*parameter.texel) : 0);
    case Parameter::Kind::sampler: return fmt::format("sampler|{}|sampler||||", parameter.name);
    case Parameter::Kind::local:
      return fmt::format("local|{}|local {}[]||{}|{}|", parameter.name, dtype, bytes, pointee_types(parameter.dtype));
  }
  return {};
}

}  // namespace

std::string job_text(std::string_view builtins, std::span<const Entry> entries) {
  std::string text(builtins);
  for (const Entry& entry : entries) {
    const Grid& group = entry.group_size;
    text += fmt::format("\n{}\t{}\t{}\t{}\t{}\t{}", entry.name, group.x, group.y, group.z, entry.subgroup_size,
                        entry.local_bytes);
    for (const Parameter& parameter : entry.parameters) text += "\t" + parameter_text(parameter);
  }
  return text + "\n";
}

}  // namespace pintle::opencl_c
