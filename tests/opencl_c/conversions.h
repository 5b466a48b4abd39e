// What a conversion of OpenCL C gives, bit by bit. Values of every type are long doubles, which hold them exactly.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pintle::test {

using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64);

/// A type of numbers: an integer of so many bits, or a floating-point type as std::numeric_limits describes one.
struct Number {
  std::string name;
  unsigned bytes;
  bool is_float, is_signed;
  int digits;
  int min_exponent = 0, max_exponent = 0;

  [[nodiscard]] std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - 8 * bytes); }
  [[nodiscard]] Real most() const {
    return is_float ? std::ldexp(1 - std::ldexp(1.0L, -digits), max_exponent) : std::ldexp(1.0L, digits) - 1;
  }
  [[nodiscard]] Real least() const { return is_float ? -most() : is_signed ? -std::ldexp(1.0L, digits) : 0; }
};

inline const std::vector<Number>& numbers() {
  static const std::vector<Number> all{{"char", 1, false, true, 7},
                                       {"uchar", 1, false, false, 8},
                                       {"short", 2, false, true, 15},
                                       {"ushort", 2, false, false, 16},
                                       {"int", 4, false, true, 31},
                                       {"uint", 4, false, false, 32},
                                       {"long", 8, false, true, 63},
                                       {"ulong", 8, false, false, 64},
                                       {"half", 2, true, true, 11, -13, 16},
                                       {"float", 4, true, true, 24, -125, 128},
                                       {"double", 8, true, true, 53, -1021, 1024}};
  return all;
}

enum class Mode : std::uint8_t { usual, rte, rtz, rtp, rtn };
inline constexpr std::array modes{Mode::usual, Mode::rte, Mode::rtz, Mode::rtp, Mode::rtn};
inline constexpr std::array<const char*, 5> mode_names{"", "_rte", "_rtz", "_rtp", "_rtn"};
inline std::string name_of(Mode mode) { return mode_names[static_cast<std::size_t>(mode)]; }

inline Real to_whole(Real x, Mode mode) {
  switch (mode) {
    case Mode::rtz: return std::trunc(x);
    case Mode::rtp: return std::ceil(x);
    case Mode::rtn: return std::floor(x);
    default: return std::nearbyint(x);
  }
}

/// What overflows is the largest number or infinity: whichever lies in the direction.
inline Real beyond(const Number& type, Real x, Mode mode) {
  const bool stays = mode == Mode::rtz || mode == (x > 0 ? Mode::rtn : Mode::rtp);
  return std::copysign(stays ? type.most() : std::numeric_limits<Real>::infinity(), x);
}

/// The value of a floating-point type that the direction says, also among its subnormals.
inline Real to_float(const Number& type, Real x, Mode mode) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int place = std::max(std::ilogb(x) - type.digits + 1, type.min_exponent - type.digits);
  const Real nearest = std::ldexp(to_whole(std::ldexp(x, -place), mode), place);
  return std::fabs(nearest) > type.most() ? beyond(type, x, mode) : nearest;
}

/// The bits of a value that the type has; a NaN is a quiet one.
inline std::uint64_t bits_of(const Number& type, Real x) {
  if (!type.is_float) {
    const auto size = static_cast<std::uint64_t>(std::fabs(x));
    return (x < 0 ? std::uint64_t{0} - size : size) & type.mask();
  }
  const std::uint64_t one = std::uint64_t{1} << (type.digits - 1),
                      infinity = one * (2 * static_cast<std::uint64_t>(type.max_exponent) - 1);
  const std::uint64_t sign = std::signbit(x) ? std::uint64_t{1} << (8 * type.bytes - 1) : 0;
  if (std::isnan(x)) return infinity | (one >> 1);
  if (std::isinf(x)) return sign | infinity;
  const int least = type.min_exponent - 1, exponent = x == 0 ? least : std::max(std::ilogb(x), least);
  const auto fraction = static_cast<std::uint64_t>(std::ldexp(std::fabs(x), type.digits - 1 - exponent));
  // A number that is not subnormal has its highest digit in the exponent's place.
  return sign | (fraction + one * static_cast<std::uint64_t>(exponent - least));
}

inline std::uint64_t bits_at(const Number& type, std::span<const std::byte> bytes, std::size_t index) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * type.bytes, type.bytes);
  return bits;
}

inline Real value_of(const Number& type, std::uint64_t bits) {
  const unsigned unused = 64 - 8 * type.bytes;
  if (!type.is_float && !type.is_signed) return static_cast<Real>(bits);
  if (!type.is_float) return static_cast<Real>(static_cast<std::int64_t>(bits << unused) >> unused);
  const std::uint64_t one = std::uint64_t{1} << (type.digits - 1);
  const std::uint64_t size = bits << unused << 1 >> 1 >> unused;
  const auto exponent = static_cast<int>(size / one);
  const auto fraction = static_cast<Real>(size % one + (exponent == 0 ? 0 : one));
  const Real x =
      exponent == 2 * type.max_exponent - 1
          ? (size % one == 0 ? std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::quiet_NaN())
          : std::ldexp(fraction, std::max(exponent, 1) + type.min_exponent - 1 - type.digits);
  return size == bits ? x : -x;
}

/// The value that convert_T[_sat][_mode] gives; empty where the specification leaves it open.
inline std::optional<Real> converted(const Number& from, const Number& to, Real x, bool saturates, Mode mode) {
  if (to.is_float) return to_float(to, x, mode);
  const bool plain = from.is_float && mode == Mode::usual;
  const Real whole = to_whole(x, plain ? Mode::rtz : mode);
  if (saturates) return std::isnan(x) ? 0 : std::clamp(whole, to.least(), to.most());
  if (whole >= to.least() && whole <= to.most()) return whole;
  if (from.is_float) return std::nullopt;
  return value_of(to, bits_of(to, x));  // an integer keeps its low bits
}

/// Values about every power of two: those where some type ends, ties of every type and its neighbours; then random
/// bits.
inline std::vector<std::byte> inputs_of(const Number& type, std::size_t count) {
  std::vector<Real> edges{0,
                          -0.0L,
                          65504,
                          65519,
                          65520,
                          65521,
                          0x1p-24L,
                          0x1.8p-25L,
                          0x1p-25L,
                          0x1p-26L,
                          0x1p-149L,
                          0x1p-150L,
                          0x1.8p-150L,
                          0x1p-1074L,
                          std::numeric_limits<float>::max(),
                          0x1.ffffffp127L,
                          0x1.fffffefp127L,
                          0x1p128L,
                          std::numeric_limits<double>::max()};
  if (type.is_float)
    edges.insert(edges.end(), {std::numeric_limits<Real>::infinity(), -std::numeric_limits<Real>::infinity(),
                               std::numeric_limits<Real>::quiet_NaN()});
  for (int k = type.is_float ? -16 : 0; k <= 64; ++k)
    for (const Real step :
         {0.0L, 1.0L, 0.5L, std::ldexp(1.0L, k - 11), std::ldexp(1.0L, k - 12), std::ldexp(3.0L, k - 12),
          std::ldexp(1.0L, k - 24), std::ldexp(1.0L, k - 25), std::ldexp(1.0L, k - 53)})
      for (const Real sign : {1.0L, -1.0L})
        edges.push_back(sign * (std::ldexp(1.0L, k) + step)), edges.push_back(sign * (std::ldexp(1.0L, k) - step));
  std::vector<std::byte> bytes(count * type.bytes);
  std::uint64_t state = 5;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    std::uint64_t bits = (state ^ (state >> 29)) >> (type.is_float ? 0 : i % 8 * type.bytes);
    if (i < edges.size())
      bits = bits_of(type, type.is_float ? to_float(type, edges[i], Mode::rte)
                                         : std::clamp(std::nearbyint(edges[i]), type.least(), type.most()));
    else if (std::isnan(value_of(type, bits & type.mask()))) bits = 0;  // some may signal
    std::memcpy(bytes.data() + i * type.bytes, &bits, type.bytes);
  }
  return bytes;
}

}  // namespace pintle::test
