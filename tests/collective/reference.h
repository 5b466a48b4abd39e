// What a reduction must give, one element at a time: the oracle of tests of folds and of whole collectives. It shares
// no code with the library: floating formats are decoded by their definition and encoded by looking for the nearest
// code.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "pintle/collective.h"
#include "pintle/dtype.h"

namespace pintle::reference {

using Bytes = std::vector<std::byte>;

__extension__ using Wide = __int128;
__extension__ using WideUnsigned = unsigned __int128;

/// A floating format below 32 bits.
struct Format {
  int exponent_bits;
  int fraction_bits;
  bool has_infinity;

  [[nodiscard]] unsigned sign() const { return 1u << (exponent_bits + fraction_bits); }
  [[nodiscard]] unsigned quiet_nan() const {
    const unsigned all_ones = sign() - 1;
    if (!has_infinity) return all_ones;
    return all_ones & ~((1u << (fraction_bits - 1)) - 1);
  }

  /// The magnitude of a code without its sign, as if none stood for an infinity or a NaN.
  [[nodiscard]] double magnitude(unsigned code) const {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = static_cast<int>(code >> fraction_bits);
    const double fraction = code & ((1u << fraction_bits) - 1);
    if (exponent == 0) return std::ldexp(fraction, 1 - bias - fraction_bits);
    return std::ldexp(fraction + std::ldexp(1.0, fraction_bits), exponent - bias - fraction_bits);
  }

  /// The largest code that is a number.
  [[nodiscard]] unsigned largest() const {
    const unsigned all_ones = sign() - 1;
    return has_infinity ? all_ones - (1u << fraction_bits) : all_ones - 1;
  }

  [[nodiscard]] double decoded(unsigned code) const {
    const unsigned positive = code & (sign() - 1);
    double value = magnitude(positive);
    if (positive > largest()) {
      const bool is_infinity = has_infinity && positive == largest() + 1;
      value = is_infinity ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    }
    return (code & sign()) != 0 ? -value : value;
  }

  /// The nearest code, of two the even one; what is beyond the largest becomes the code behind it.
  [[nodiscard]] unsigned encoded(double value) const {
    if (std::isnan(value)) return quiet_nan();
    const unsigned minus = std::signbit(value) ? sign() : 0;
    const double wanted = std::fabs(value);
    unsigned low = 0, high = largest() + 1;
    while (low < high) {  // the first code that is not below
      const unsigned middle = (low + high) / 2;
      if (magnitude(middle) < wanted) low = middle + 1;
      else high = middle;
    }
    if (low == 0 || wanted >= magnitude(low)) return minus | low;
    const double half_way = (magnitude(low - 1) + magnitude(low)) / 2;
    if (wanted < half_way || (wanted == half_way && low % 2 == 1)) return minus | (low - 1);
    return minus | low;
  }
};

inline std::optional<Format> narrow_format(DType dtype) {
  switch (dtype) {
    case DType::f16: return Format{5, 10, true};
    case DType::bf16: return Format{8, 7, true};
    case DType::f8_e4m3fn: return Format{4, 3, false};
    case DType::f8_e5m2: return Format{5, 2, true};
    default: return std::nullopt;
  }
}

/// The bits of one element, from the lowest on. The machine is little-endian.
inline std::uint64_t bits_at(const Bytes& bytes, std::size_t begin, std::size_t size) {
  std::uint64_t bits = 0;
  for (std::size_t at = 0; at < size; ++at) bits |= std::to_integer<std::uint64_t>(bytes[begin + at]) << (8 * at);
  return bits;
}
inline void put_bits(Bytes& bytes, std::size_t begin, std::size_t size, std::uint64_t bits) {
  for (std::size_t at = 0; at < size; ++at) bytes[begin + at] = static_cast<std::byte>(bits >> (8 * at) & 0xff);
}

inline bool is_signed(DType dtype) { return dtype >= DType::i8 && dtype <= DType::i64; }
inline bool is_integer(DType dtype) { return dtype >= DType::i8 && dtype <= DType::u64; }

/// Exactly, of every dtype that is a real number but for the integers of 64 bits.
inline double number_of(DType dtype, std::uint64_t bits) {
  if (const auto format = narrow_format(dtype)) return format->decoded(static_cast<unsigned>(bits));
  if (dtype == DType::f32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return std::bit_cast<double>(bits);
}

inline std::uint64_t one_of(DType dtype) {
  if (const auto format = narrow_format(dtype)) return format->encoded(1.0);
  if (dtype == DType::f32) return std::bit_cast<std::uint32_t>(1.0f);
  if (dtype == DType::f64) return std::bit_cast<std::uint64_t>(1.0);
  return 1;
}

inline std::uint64_t nan_of(DType dtype) {
  if (const auto format = narrow_format(dtype)) return format->quiet_nan();
  return dtype == DType::f32 ? 0x7fc00000 : 0x7ff8000000000000;
}

inline std::uint64_t bits_of(float value) {
  return std::isnan(value) ? nan_of(DType::f32) : std::bit_cast<std::uint32_t>(value);
}
inline std::uint64_t bits_of(double value) {
  return std::isnan(value) ? nan_of(DType::f64) : std::bit_cast<std::uint64_t>(value);
}

using Elements = std::vector<std::uint64_t>;  ///< One of each source.

inline bool is_true(DType dtype, std::uint64_t bits) {
  return is_integer(dtype) || dtype == DType::boolean ? bits != 0 : number_of(dtype, bits) != 0;
}

/// How many are true decides every logical operator.
inline std::uint64_t logical(ReduceOp op, DType dtype, const Elements& elements) {
  std::size_t count = 0;
  for (const std::uint64_t bits : elements) count += is_true(dtype, bits) ? 1U : 0U;
  const bool result = op == ReduceOp::logical_and  ? count == elements.size()
                      : op == ReduceOp::logical_or ? count != 0
                                                   : count % 2 == 1;
  return result ? one_of(dtype) : 0;
}

/// The operator of numbers as that of truths.
inline ReduceOp logical_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::prod:
    case ReduceOp::min:
    case ReduceOp::bit_and:
    case ReduceOp::logical_and: return ReduceOp::logical_and;
    case ReduceOp::bit_xor:
    case ReduceOp::logical_xor: return ReduceOp::logical_xor;
    default: return ReduceOp::logical_or;
  }
}

inline Wide integer_of(DType dtype, std::uint64_t bits) {
  const Wide range = Wide{1} << (8 * bytes_of(dtype));
  const Wide value = bits;
  return is_signed(dtype) && value >= range / 2 ? value - range : value;
}

/// Within the range of the dtype.
inline Wide wrapped(DType dtype, Wide value) {
  const auto bits = static_cast<WideUnsigned>(value) & ((WideUnsigned{1} << (8 * bytes_of(dtype))) - 1);
  return integer_of(dtype, static_cast<std::uint64_t>(bits));
}

inline Wide folded_integers(ReduceOp op, DType dtype, Wide a, Wide b) {
  switch (op) {
    case ReduceOp::prod:
      return wrapped(dtype, static_cast<Wide>(static_cast<WideUnsigned>(a) * static_cast<WideUnsigned>(b)));
    case ReduceOp::min: return std::min(a, b);
    case ReduceOp::max: return std::max(a, b);
    case ReduceOp::bit_and: return a & b;
    case ReduceOp::bit_or: return a | b;
    case ReduceOp::bit_xor: return a ^ b;
    default: return wrapped(dtype, a + b);
  }
}

inline std::uint64_t integer(ReduceOp op, DType dtype, const Elements& elements, std::uint32_t divisor) {
  Wide result = integer_of(dtype, elements[0]);
  for (std::size_t index = 1; index < elements.size(); ++index) {
    result = folded_integers(op, dtype, result, integer_of(dtype, elements[index]));
  }
  return static_cast<std::uint64_t>(op == ReduceOp::mean ? result / divisor : result);
}

/// Sorted by value, -0 before +0, the result is the first or the last.
inline std::uint64_t least_or_greatest(ReduceOp op, DType dtype, Elements elements) {
  for (const std::uint64_t bits : elements) {
    if (std::isnan(number_of(dtype, bits))) return nan_of(dtype);
  }
  std::ranges::sort(elements, [&](std::uint64_t left, std::uint64_t right) {
    const double a = number_of(dtype, left), b = number_of(dtype, right);
    return a < b || (a == b && std::signbit(a) && !std::signbit(b));
  });
  return op == ReduceOp::min ? elements.front() : elements.back();
}

/// Each step is rounded to `Number`: a step of f32 in double is exact enough for its rounding to be the only one.
template <class Number>
Number arithmetic(ReduceOp op, DType dtype, const Elements& elements, std::uint32_t divisor) {
  auto result = static_cast<Number>(number_of(dtype, elements[0]));
  for (std::size_t index = 1; index < elements.size(); ++index) {
    const double a = static_cast<double>(result), b = number_of(dtype, elements[index]);
    const volatile double step = op == ReduceOp::prod ? a * b : a + b;
    result = static_cast<Number>(step);
  }
  if (op != ReduceOp::mean || divisor == 1) return result;
  return static_cast<Number>(static_cast<double>(result) / divisor);
}

struct Complex {
  float real;
  float imaginary;
};

inline Complex complex_of(std::uint64_t bits) {
  return {std::bit_cast<float>(static_cast<std::uint32_t>(bits)),
          std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 32))};
}

/// The product as it is written in books, each operation rounded.
inline Complex product(Complex a, Complex b) {
  const volatile float real = a.real * b.real, crossed = a.imaginary * b.imaginary;
  const volatile float outer = a.real * b.imaginary, inner = a.imaginary * b.real;
  return {real - crossed, outer + inner};
}

inline std::uint64_t complex(ReduceOp op, const Elements& elements, std::uint32_t divisor) {
  Complex result = complex_of(elements[0]);
  for (std::size_t index = 1; index < elements.size(); ++index) {
    const Complex next = complex_of(elements[index]);
    if (op == ReduceOp::prod) result = product(result, next);
    else result = {result.real + next.real, result.imaginary + next.imaginary};
  }
  if (op == ReduceOp::mean) {
    result.real /= static_cast<float>(divisor);
    result.imaginary /= static_cast<float>(divisor);
  }
  return bits_of(result.real) | bits_of(result.imaginary) << 32;
}

inline std::uint64_t folded(ReduceOp op, DType dtype, const Elements& elements, std::uint32_t divisor) {
  if (dtype == DType::boolean) return logical(logical_of(op), dtype, elements);
  if (op >= ReduceOp::logical_and) return logical(op, dtype, elements);
  if (elements.size() == 1 && (op != ReduceOp::mean || divisor == 1)) return elements[0];
  if (is_integer(dtype)) return integer(op, dtype, elements, divisor);
  if (dtype == DType::complex64) return complex(op, elements, divisor);
  if (op == ReduceOp::min || op == ReduceOp::max) return least_or_greatest(op, dtype, elements);
  if (dtype == DType::f64) return bits_of(arithmetic<double>(op, dtype, elements, divisor));
  const auto result = arithmetic<float>(op, dtype, elements, divisor);
  const auto format = narrow_format(dtype);
  return format ? format->encoded(static_cast<double>(result)) : bits_of(result);
}

/// The bytes that the sources, of one size each, fold to from the left. `mean` divides by `divisor`; others do not.
inline Bytes fold(ReduceOp op, DType dtype, std::span<const Bytes> sources, std::uint32_t divisor) {
  const std::size_t size = bytes_of(dtype);
  Bytes result(sources[0].size());
  Elements elements(sources.size());
  for (std::size_t at = 0; at < result.size(); at += size) {
    for (std::size_t index = 0; index < sources.size(); ++index) elements[index] = bits_at(sources[index], at, size);
    put_bits(result, at, size, folded(op, dtype, elements, divisor));
  }
  return result;
}

}  // namespace pintle::reference
