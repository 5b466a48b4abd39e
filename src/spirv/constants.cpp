#include "spirv/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/quote.h"

namespace pintle::spirv {
namespace {

using backend::Constant;

/// An exact value: an integer by its sign and magnitude, or a float.
struct Exact {
  bool is_float = false;
  bool is_negative = false;
  std::uint64_t magnitude = 0;
  double number = 0;
};

template <class T>
T read(const Constant& constant) noexcept {
  T value;
  std::memcpy(&value, constant.value.bytes.data(), sizeof value);
  return value;
}

double double_of_f16(std::uint16_t bits) noexcept {
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  const double sign = (bits >> 15) != 0 ? -1 : 1;
  if (exponent == 0x1f) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

/// The f16 of exactly that value; empty where there is none.
std::optional<std::uint16_t> f16_of(double value) noexcept {
  if (std::isnan(value)) return std::uint16_t{0x7e00};
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double size = std::fabs(value);
  if (std::isinf(size)) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(size, &exponent);  // size is in [2^(exponent-1), 2^exponent)
  exponent = std::max(exponent, -13);
  const double fraction = std::ldexp(size, 11 - exponent);  // 11 bits, or fewer where it is subnormal
  if (exponent > 16 || fraction != std::trunc(fraction)) return std::nullopt;
  // A normal number's leading bit adds one to the exponent's field.
  return static_cast<std::uint16_t>(sign + ((exponent + 13) << 10) + static_cast<int>(fraction));
}

Exact integer(std::int64_t value) noexcept {
  return {.is_negative = value < 0,
          .magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)};
}

/// A float that is whole and below 2^64 is an integer, too.
Exact floating(double value) noexcept {
  Exact exact{.is_float = true, .number = value};
  const double size = std::fabs(value);
  if (size != std::trunc(size) || size >= 0x1p64) return exact;
  exact.is_float = false;
  exact.is_negative = value < 0;
  exact.magnitude = static_cast<std::uint64_t>(size);
  return exact;
}

/// Empty for dtypes that no constant of a shader can hold.
std::optional<Exact> value_of(const Constant& constant) {
  switch (constant.dtype) {
    case DType::boolean: return Exact{.magnitude = read<std::uint8_t>(constant) != 0 ? 1u : 0u};
    case DType::i8: return integer(read<std::int8_t>(constant));
    case DType::i16: return integer(read<std::int16_t>(constant));
    case DType::i32: return integer(read<std::int32_t>(constant));
    case DType::i64: return integer(read<std::int64_t>(constant));
    case DType::u8: return Exact{.magnitude = read<std::uint8_t>(constant)};
    case DType::u16: return Exact{.magnitude = read<std::uint16_t>(constant)};
    case DType::u32: return Exact{.magnitude = read<std::uint32_t>(constant)};
    case DType::u64: return Exact{.magnitude = read<std::uint64_t>(constant)};
    case DType::f16: return floating(double_of_f16(read<std::uint16_t>(constant)));
    case DType::bf16:
      return floating(std::bit_cast<float>(static_cast<std::uint32_t>(read<std::uint16_t>(constant)) << 16));
    case DType::f32: return floating(static_cast<double>(read<float>(constant)));
    case DType::f64: return floating(read<double>(constant));
    default: return std::nullopt;
  }
}

std::string text_of(const Exact& value) {
  if (value.is_float) return fmt::format("{}", value.number);
  return fmt::format("{}{}", value.is_negative ? "-" : "", value.magnitude);
}

std::string type_of(const SpecConstant& wanted) {
  using enum SpecConstant::Kind;
  switch (wanted.kind) {
    case boolean: return "a bool (0 or 1)";
    case integer: return fmt::format("a signed integer of ({}) bits", wanted.bits);
    case unsigned_integer: return fmt::format("an unsigned integer of ({}) bits", wanted.bits);
    case floating: break;
  }
  return fmt::format("a float of ({}) bits", wanted.bits);
}

std::optional<std::uint64_t> integer_bits(const Exact& value, const SpecConstant& wanted) {
  const bool is_signed = wanted.kind == SpecConstant::Kind::integer;
  const std::uint64_t half = std::uint64_t{1} << (wanted.bits - 1);
  if (value.is_float || (value.is_negative && !is_signed)) return std::nullopt;
  const std::uint64_t most = value.is_negative ? half : is_signed ? half - 1 : half - 1 + half;
  if (value.magnitude > most) return std::nullopt;
  return value.is_negative ? 0 - value.magnitude : value.magnitude;
}

/// A whole number may be one that no double has.
std::optional<double> double_of(const Exact& value) {
  if (value.is_float) return value.number;
  const auto size = static_cast<double>(value.magnitude);
  if (size >= 0x1p64 || static_cast<std::uint64_t>(size) != value.magnitude) return std::nullopt;
  return value.is_negative ? -size : size;
}

std::optional<std::uint64_t> float_bits(const Exact& value, std::uint32_t bits) {
  const auto number = double_of(value);
  if (!number) return std::nullopt;
  if (bits == 64) return std::bit_cast<std::uint64_t>(*number);
  if (bits == 16) return f16_of(*number);
  // A number beyond the range would be undefined as a float.
  const bool is_finite = std::isfinite(*number);
  if (is_finite && std::fabs(*number) > std::numeric_limits<float>::max()) return std::nullopt;
  const auto narrow = static_cast<float>(*number);
  if (is_finite && static_cast<double>(narrow) != *number) return std::nullopt;
  return std::bit_cast<std::uint32_t>(narrow);
}

/// The value in the type that the module has; empty where it does not fit exactly.
std::optional<std::uint64_t> bits_of(const Exact& value, const SpecConstant& wanted) {
  if (wanted.kind == SpecConstant::Kind::floating) return float_bits(value, wanted.bits);
  if (wanted.kind != SpecConstant::Kind::boolean) return integer_bits(value, wanted);
  const bool is_bool = !value.is_float && !value.is_negative && value.magnitude <= 1;
  return is_bool ? std::optional(value.magnitude) : std::nullopt;
}

Result<void> add(const SpecConstant& wanted, const Constant& given, Specialization& specialization) {
  const auto value = value_of(given);
  if (!value) {
    return Error(Errc::unsupported, fmt::format("Constant {} has dtype ({}), which no specialisation constant has.",
                                                base::quote(given.name), name(given.dtype)));
  }
  const auto bits = bits_of(*value, wanted);
  if (!bits) {
    return Error(Errc::invalid_argument,
                 fmt::format("Constant {} has value ({}) of dtype ({}), which {} does not hold exactly.",
                             base::quote(given.name), text_of(*value), name(given.dtype), type_of(wanted)));
  }
  const std::size_t size = wanted.kind == SpecConstant::Kind::boolean ? 4 : wanted.bits / 8;
  const auto bytes = std::as_bytes(std::span(&*bits, 1)).first(size);
  const auto before = std::ranges::find(specialization.values, wanted.spec_id, &Specialization::Value::spec_id);
  if (before == specialization.values.end()) {
    const auto offset = static_cast<std::uint32_t>(specialization.data.size());
    specialization.values.push_back({wanted.spec_id, offset, size, std::string(given.name)});
    specialization.data.insert(specialization.data.end(), bytes.begin(), bytes.end());
    return {};
  }
  const auto has = std::span(specialization.data).subspan(before->offset, before->size);
  if (std::ranges::equal(has, bytes)) return {};
  return Error(Errc::invalid_argument, fmt::format("Constants {} and {} are one of id ({}), and have different values.",
                                                   base::quote(before->name), base::quote(given.name), wanted.spec_id));
}

}  // namespace

Result<void> specialize(const Module& module, std::span<const backend::Constant> given, Specialization& specialization,
                        std::vector<bool>& found) {
  for (std::size_t index = 0; index < given.size(); ++index) {
    const auto wanted = std::ranges::find(module.constants, given[index].name, &SpecConstant::name);
    if (wanted == module.constants.end()) continue;
    found[index] = true;
    PINTLE_TRY(add(*wanted, given[index], specialization));
  }
  return {};
}

}  // namespace pintle::spirv
