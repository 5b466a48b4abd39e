#include "base/convert_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/convert_value.h"

namespace pintle::base {
namespace {

template <int width>
using Code = std::conditional_t<
    width == 8, std::uint8_t,
    std::conditional_t<width == 16, std::uint16_t, std::conditional_t<width == 32, std::uint32_t, std::uint64_t>>>;

template <class T>
T element_at(const std::byte* from, std::size_t index) noexcept {
  T element;
  std::memcpy(&element, from + index * sizeof(T), sizeof element);
  return element;
}

// From a dtype to values.

template <FloatFormat format>
Value value_of_code(std::uint64_t code) noexcept {
  const std::uint64_t magnitude = code & format.magnitude_mask();
  const std::uint64_t fraction = code & format.fraction_mask();
  const Sign sign = (code & format.sign_bit()) != 0 ? Sign::negative : Sign::positive;
  if (magnitude >= format.first_special()) {
    if (!format.has_infinity) return {std::uint64_t{1} << 63, 0, ValueKind::nan, sign};
    if (fraction == 0) return {0, 0, ValueKind::infinity, sign};
    return {fraction << (64 - format.fraction_bits), 0, ValueKind::nan, sign};
  }
  const auto biased = static_cast<std::int32_t>(magnitude >> format.fraction_bits);
  const std::uint64_t hidden = biased == 0 ? 0 : std::uint64_t{1} << format.fraction_bits;
  const std::int32_t exponent = std::max(biased, 1) - format.bias - format.fraction_bits;
  return {fraction | hidden, exponent, ValueKind::finite, sign};
}

template <FloatFormat format>
void load_floats(const std::byte* from, std::span<Value> values) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = value_of_code<format>(element_at<Code<format.width>>(from, i));
}

template <class T>
void load_integers(const std::byte* from, std::span<Value> values) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T element = element_at<T>(from, i);
    const auto bits = static_cast<std::uint64_t>(element);
    const bool negative = std::is_signed_v<T> && (bits >> 63) != 0;
    values[i] = {negative ? 0 - bits : bits, 0, ValueKind::finite, negative ? Sign::negative : Sign::positive};
  }
}

void load_bools(const std::byte* from, std::span<Value> values) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {from[i] == std::byte{0} ? 0u : 1u};
}

// From values to a dtype.

struct Rules {
  Rounding rounding;
  Overflow overflow;
  NanRule nan;
  std::uint64_t key;
  std::uint64_t first;  ///< The number of the chunk's first element, plus one.

  [[nodiscard]] std::uint64_t draw(std::size_t index) const noexcept {
    return mix(key + (first + index) * 0x9e3779b97f4a7c15u);
  }
};

/// A code, and whether Overflow::error refuses the value.
struct Outcome {
  std::uint64_t code = 0;
  bool refused = false;
};

/// The significand in units of 2^(exponent + drop), rounded. Nothing is lost where drop is not positive.
std::uint64_t rounded(std::uint64_t significand, std::int32_t drop, const Rules& rules, std::size_t index) noexcept {
  if (drop <= 0) return significand << -drop;
  const std::uint64_t kept = drop < 64 ? significand >> drop : 0;
  // The dropped part as a fraction of 2^64. It is exact, except below 2^-64, where it is less than one half anyway.
  std::uint64_t fraction = 0;
  if (drop <= 64) fraction = significand << (64 - drop);
  else if (drop < 128) fraction = significand >> (drop - 64);
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  switch (rules.rounding) {
    case Rounding::nearest_even: return kept + (fraction > half || (fraction == half && (kept & 1) != 0));
    case Rounding::toward_zero: return kept;
    case Rounding::stochastic: return kept + (fraction != 0 && rules.draw(index) < fraction);
  }
  return kept;
}

template <FloatFormat format>
Outcome beyond_range(const Rules& rules, std::uint64_t sign) noexcept {
  if (rules.overflow == Overflow::saturate) return {sign | format.largest()};
  return {sign | format.first_special(), rules.overflow == Overflow::error};
}

template <FloatFormat format>
Outcome code_of_special(const Value& value, const Rules& rules, std::uint64_t sign) noexcept {
  if (value.kind == ValueKind::infinity) {
    Outcome outcome = beyond_range<format>(rules, sign);
    outcome.refused = outcome.refused && !format.has_infinity;
    return outcome;
  }
  if (rules.nan == NanRule::canonical) return {format.canonical_nan()};
  if (!format.has_infinity) return {sign | format.canonical_nan()};
  const std::uint64_t kept = value.significand >> (64 - format.fraction_bits);
  return {sign | format.first_special() | std::max(kept, std::uint64_t{1})};
}

template <FloatFormat format>
Outcome code_of(const Value& value, const Rules& rules, std::size_t index) noexcept {
  const std::uint64_t sign = value.sign == Sign::negative ? format.sign_bit() : 0;
  if (value.kind != ValueKind::finite) return code_of_special<format>(value, rules, sign);
  if (value.significand == 0) return {sign};
  const std::int32_t leading = value.exponent + static_cast<std::int32_t>(std::bit_width(value.significand)) - 1;
  const std::int32_t unit = std::max(leading, format.least_exponent()) - format.fraction_bits;
  const std::uint64_t kept = rounded(value.significand, unit - value.exponent, rules, index);
  // The leading bit of a normal number adds one to the exponent's field, as a carry out of the fraction does.
  const auto field = static_cast<std::uint64_t>(unit + format.fraction_bits - format.least_exponent());
  const std::uint64_t code = kept + (field << format.fraction_bits);
  if (code > format.largest()) return beyond_range<format>(rules, sign);
  return {sign | code};
}

template <FloatFormat format>
struct ToFloat {
  using Element = Code<format.width>;
  Outcome operator()(const Value& value, const Rules& rules, std::size_t index) const noexcept {
    return code_of<format>(value, rules, index);
  }
};

template <class T>
struct ToInteger {
  using Element = T;

  static Outcome limit(Sign sign, const Rules& rules) noexcept {
    const T end = sign == Sign::negative ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    return {static_cast<std::uint64_t>(end), rules.overflow == Overflow::error};
  }
  Outcome operator()(const Value& value, const Rules& rules, std::size_t index) const noexcept {
    if (value.kind == ValueKind::nan) return {0, rules.overflow == Overflow::error};
    if (value.kind == ValueKind::infinity) return limit(value.sign, rules);
    if (value.exponent > 0 && static_cast<std::int64_t>(std::bit_width(value.significand)) + value.exponent > 64)
      return limit(value.sign, rules);
    const std::uint64_t magnitude = rounded(value.significand, -value.exponent, rules, index);
    const auto largest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    const std::uint64_t most = value.sign == Sign::positive ? largest : std::is_signed_v<T> ? largest + 1 : 0;
    if (magnitude > most) return limit(value.sign, rules);
    return {value.sign == Sign::negative ? 0 - magnitude : magnitude};
  }
};

struct ToBool {
  using Element = std::uint8_t;
  Outcome operator()(const Value& value, const Rules&, std::size_t) const noexcept {
    return {value.kind != ValueKind::finite || value.significand != 0 ? 1u : 0u};
  }
};

struct ToComplex {
  using Element = std::uint64_t;
  Outcome operator()(const Value& value, const Rules& rules, std::size_t index) const noexcept {
    const Outcome real = code_of<f32_format>(value, rules, index);
    return {std::endian::native == std::endian::little ? real.code : real.code << 32, real.refused};
  }
};

/// Returns the index of the first refused value, or the number of values.
template <class To>
std::size_t store(std::span<const Value> values, const Rules& rules, std::byte* to) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Outcome outcome = To{}(values[i], rules, i);
    if (outcome.refused) return i;
    const auto element = static_cast<typename To::Element>(outcome.code);
    std::memcpy(to + i * sizeof element, &element, sizeof element);
  }
  return values.size();
}

using Load = void (*)(const std::byte* from, std::span<Value> values) noexcept;
using Store = std::size_t (*)(std::span<const Value> values, const Rules& rules, std::byte* to) noexcept;
struct Row {
  Load load;
  Store store;
};

template <class T>
constexpr Row integers{load_integers<T>, store<ToInteger<T>>};
template <FloatFormat format>
constexpr Row floats{load_floats<format>, store<ToFloat<format>>};

/// Sorted by the numbers of DType, which begin at 1. Nothing loads complex numbers.
constexpr std::array<Row, 16> rows{{
    {load_bools, store<ToBool>},
    integers<std::int8_t>,
    integers<std::int16_t>,
    integers<std::int32_t>,
    integers<std::int64_t>,
    integers<std::uint8_t>,
    integers<std::uint16_t>,
    integers<std::uint32_t>,
    integers<std::uint64_t>,
    floats<f16_format>,
    floats<bf16_format>,
    floats<f32_format>,
    floats<f64_format>,
    floats<f8_e4m3fn_format>,
    floats<f8_e5m2_format>,
    {nullptr, store<ToComplex>},
}};

const Row& row_of(DType dtype) noexcept { return rows[static_cast<std::size_t>(dtype) - 1]; }

constexpr std::size_t chunk = 256;

template <class T>
std::string range_text() {
  return fmt::format("{} to {}", std::int64_t{std::numeric_limits<T>::min()},
                     std::uint64_t{std::numeric_limits<T>::max()});
}

}  // namespace

std::optional<std::size_t> convert_scalar(std::span<std::byte> to, std::span<const std::byte> from, const Convert& how,
                                          Writing writing) {
  const std::size_t from_size = bytes_of(how.from), to_size = bytes_of(how.to), count = from.size() / from_size;
  const Load load = row_of(how.from).load;
  const Store store = row_of(how.to).store;
  std::array<Value, chunk> values;
  std::array<std::byte, chunk * sizeof(std::uint64_t)> unwritten;
  for (std::size_t done = 0; done < count; done += chunk) {
    const std::span<Value> part(values.data(), std::min(chunk, count - done));
    load(from.data() + done * from_size, part);
    const Rules rules{how.rounding, how.overflow, how.nan, mix(how.seed), how.first_element + done + 1};
    std::byte* const place = writing == Writing::writes ? to.data() + done * to_size : unwritten.data();
    if (const std::size_t stored = store(part, rules, place); stored != part.size()) return done + stored;
  }
  return std::nullopt;
}

std::string element_text(std::span<const std::byte> from, std::size_t element, DType dtype) {
  Value value;
  row_of(dtype).load(from.data() + element * bytes_of(dtype), {&value, 1});
  const std::string_view minus = value.sign == Sign::negative ? "-" : "";
  if (value.kind == ValueKind::nan) return "nan";
  if (value.kind == ValueKind::infinity) return fmt::format("{}infinity", minus);
  if (value.exponent == 0) return fmt::format("{}{}", minus, value.significand);
  return fmt::format("{}{}", minus, std::ldexp(static_cast<double>(value.significand), value.exponent));
}

std::string limits_text(DType dtype) {
  switch (dtype) {
    case DType::i8: return range_text<std::int8_t>();
    case DType::i16: return range_text<std::int16_t>();
    case DType::i32: return range_text<std::int32_t>();
    case DType::i64: return range_text<std::int64_t>();
    case DType::u8: return range_text<std::uint8_t>();
    case DType::u16: return range_text<std::uint16_t>();
    case DType::u32: return range_text<std::uint32_t>();
    case DType::u64: return fmt::format("0 to {}", std::numeric_limits<std::uint64_t>::max());
    case DType::f16: return "-65504 to 65504";
    case DType::bf16: return "-3.3895314e38 to 3.3895314e38";
    case DType::f8_e4m3fn: return "-448 to 448";
    case DType::f8_e5m2: return "-57344 to 57344";
    default: return "-3.4028235e38 to 3.4028235e38";
  }
}

}  // namespace pintle::base
