#include "opencl_c/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/number.h"
#include "base/parse.h"
#include "base/quote.h"
#include "base/signature.h"

namespace pintle::opencl_c {
namespace {

constexpr std::size_t most_members = 64;
constexpr unsigned deepest = 16;

std::uint32_t number_in(const LlvmRecord& record, std::string_view field) {
  return base::parse_number<std::uint32_t>(record.field(field)).value_or(0);
}

std::optional<DType> dtype_in(const LlvmRecord& basic) {
  const std::string_view encoding = basic.field("encoding");
  const std::uint32_t bytes = number_in(basic, "size") / 8;
  using Kind = base::Number::Kind;
  if (encoding == "DW_ATE_boolean") return DType::boolean;
  if (encoding == "DW_ATE_float") return base::dtype_of({Kind::floating, bytes});
  return base::dtype_of({encoding.starts_with("DW_ATE_signed") ? Kind::signed_integer : Kind::unsigned_integer, bytes});
}

/// Walks a type down to its numbers.
class Flattening {
 public:
  explicit Flattening(const Metadata& metadata) : metadata_(metadata) {}

  /// The type behind names, qualifiers and enumerations.
  [[nodiscard]] LlvmRecord resolve(std::string_view name) const {
    LlvmRecord record = metadata_.record(name);
    for (unsigned steps = 0; steps < deepest; ++steps) {
      const std::string_view tag = record.field("tag");
      const bool is_name = tag == "DW_TAG_typedef" || tag == "DW_TAG_const_type" || tag == "DW_TAG_volatile_type" ||
                           tag == "DW_TAG_enumeration_type";
      if (!is_name) break;
      record = metadata_.record(record.field("baseType"));
    }
    return record;
  }

  /// False where a signature cannot say it.
  bool add(std::string_view type, const std::string& name, std::uint32_t offset, unsigned depth = 0) {
    if (depth > deepest || members.size() > most_members) return false;
    const LlvmRecord record = resolve(type);
    if (record.kind == "DIBasicType") return add_numbers(record, 1, name, offset);
    const std::string_view tag = record.field("tag");
    if (tag == "DW_TAG_structure_type") return add_struct(record, name, offset, depth);
    if (tag != "DW_TAG_array_type") return false;
    const auto count = count_of(record);
    if (!count) return false;
    if (record.field("flags").contains("DIFlagVector"))
      return add_numbers(resolve(record.field("baseType")), *count, name, offset);
    const std::uint32_t each = number_in(record, "size") / 8 / *count;
    for (std::uint32_t index = 0; index < *count; ++index) {
      if (!add(record.field("baseType"), fmt::format("{}_{}", name, index), offset + index * each, depth + 1))
        return false;
    }
    return true;
  }

  std::vector<Member> members;

 private:
  bool add_numbers(const LlvmRecord& basic, std::uint32_t lanes, const std::string& name, std::uint32_t offset) {
    const auto dtype = dtype_in(basic);
    if (!dtype || members.size() == most_members) return false;
    members.push_back({name, *dtype, lanes, offset});
    return true;
  }

  bool add_struct(const LlvmRecord& record, const std::string& name, std::uint32_t offset, unsigned depth) {
    for (const std::string_view element : metadata_.list(record.field("elements"))) {
      const LlvmRecord member = metadata_.record(element);
      const std::string own = quoted(member.field("name"));
      const bool is_plain = member.field("tag") == "DW_TAG_member" && base::is_identifier(own) &&
                            !member.field("flags").contains("DIFlagBitField");
      if (!is_plain) return false;
      if (!add(member.field("baseType"), name.empty() ? own : name + "_" + own,
               offset + number_in(member, "offset") / 8, depth + 1))
        return false;
    }
    return true;
  }

  /// The elements of an array of one dimension.
  [[nodiscard]] std::optional<std::uint32_t> count_of(const LlvmRecord& array) const {
    const Texts dimensions = metadata_.list(array.field("elements"));
    if (dimensions.size() != 1) return std::nullopt;
    const std::uint32_t count = number_in(metadata_.record(dimensions[0]), "count");
    return count == 0 ? std::nullopt : std::optional(count);
  }

  const Metadata& metadata_;
};

Parameter plain_bytes(std::uint32_t size, std::uint32_t alignment) {
  Parameter parameter{"value", Parameter::Kind::value, DType::u8, Access::read};
  parameter.bytes = size;
  parameter.alignment = std::max(alignment, std::uint32_t{1});
  return parameter;
}

Parameter one_number(const Member& member) {
  Parameter parameter{"value", Parameter::Kind::scalar, member.dtype, Access::read};
  if (member.lanes == 1) return parameter;
  const auto each = static_cast<std::uint32_t>(bytes_of(member.dtype));
  parameter.kind = Parameter::Kind::value;
  parameter.lanes = member.lanes;
  parameter.bytes = each * member.lanes;
  parameter.alignment = each * (member.lanes == 3 ? 4 : member.lanes);
  return parameter;
}

/// The struct as its signature says it; its size may differ where the source asks for more alignment.
std::optional<Parameter> as_signature(std::vector<Member> members) {
  Parameter parameter{"value", Parameter::Kind::value, DType::u8, Access::read};
  parameter.members = std::move(members);
  const auto entry = Entry::parse(fmt::format("f(value: {})", base::type_text(parameter)));
  return entry ? std::optional(entry->parameters[0]) : std::nullopt;
}

/// Each number of a struct, with its place.
std::vector<std::pair<std::uint32_t, DType>> numbers_of(const Parameter& parameter) {
  std::vector<std::pair<std::uint32_t, DType>> numbers;
  for (const Member& member : parameter.members) {
    for (std::uint32_t lane = 0; lane < member.lanes; ++lane)
      numbers.emplace_back(member.offset + lane * static_cast<std::uint32_t>(bytes_of(member.dtype)), member.dtype);
  }
  return numbers;
}

base::Number number_of(DType dtype) {
  using Kind = base::Number::Kind;
  const auto bytes = static_cast<std::uint32_t>(bytes_of(dtype));
  const bool is_float = dtype == DType::f16 || dtype == DType::f32 || dtype == DType::f64;
  const bool is_signed = dtype >= DType::i8 && dtype <= DType::i64;
  return {is_float ? Kind::floating : is_signed ? Kind::signed_integer : Kind::unsigned_integer, bytes};
}

}  // namespace

std::optional<Parameter> value_of(const Metadata& metadata, std::string_view type, std::uint32_t alignment) {
  Flattening flattening(metadata);
  const LlvmRecord record = flattening.resolve(type);
  const std::uint32_t size = number_in(record, "size") / 8;
  if (size == 0 || size > Entry::max_value_bytes) return std::nullopt;
  if (!flattening.add(type, "", 0) || flattening.members.empty()) return plain_bytes(size, alignment);
  if (flattening.members[0].name.empty()) return one_number(flattening.members[0]);
  const auto told = as_signature(std::move(flattening.members));
  return told && told->bytes == size ? told : plain_bytes(size, alignment);
}

std::optional<std::string> difference(const Parameter& declared, const Parameter& told) {
  if (declared.kind != Parameter::Kind::value || declared.members.empty() || told.members.empty()) return std::nullopt;
  const auto ours = numbers_of(declared), theirs = numbers_of(told);
  const auto [one, other] = std::ranges::mismatch(ours, theirs, [](const auto& left, const auto& right) {
    return left.first == right.first && base::may_declare(left.second, number_of(right.second));
  });
  if (one == ours.end() && other == theirs.end()) return std::nullopt;
  return fmt::format("has a struct ({}) for the parameter {}, declared as ({})", base::type_text(told),
                     base::quote(declared.name), base::type_text(declared));
}

}  // namespace pintle::opencl_c
