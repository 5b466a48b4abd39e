// One element between two dtypes: its exact value, and the floating-point formats.
#pragma once

#include <cstdint>
#include <limits>

#include "pintle/convert.h"

namespace pintle::base {

enum class ValueKind : std::uint8_t { finite, infinity, nan };
enum class Sign : std::uint8_t { positive, negative };

/// A finite value is significand * 2^exponent; a NaN's significand is its fraction from bit 63 down, the quiet bit
/// first.
struct Value {
  std::uint64_t significand = 0;
  std::int32_t exponent = 0;
  ValueKind kind = ValueKind::finite;
  Sign sign = Sign::positive;
};

/// A binary floating format. Codes of positive numbers rise with their values.
struct FloatFormat {
  int width;
  int fraction_bits;
  int bias;
  bool has_infinity;

  [[nodiscard]] constexpr std::uint64_t sign_bit() const noexcept { return std::uint64_t{1} << (width - 1); }
  [[nodiscard]] constexpr std::uint64_t magnitude_mask() const noexcept { return sign_bit() - 1; }
  [[nodiscard]] constexpr std::uint64_t fraction_mask() const noexcept {
    return (std::uint64_t{1} << fraction_bits) - 1;
  }
  /// The first code that is no finite number: infinity's, or that of the only NaN.
  [[nodiscard]] constexpr std::uint64_t first_special() const noexcept {
    return has_infinity ? magnitude_mask() & ~fraction_mask() : magnitude_mask();
  }
  [[nodiscard]] constexpr std::uint64_t largest() const noexcept { return first_special() - 1; }
  [[nodiscard]] constexpr std::uint64_t canonical_nan() const noexcept {
    return has_infinity ? first_special() | std::uint64_t{1} << (fraction_bits - 1) : first_special();
  }
  [[nodiscard]] constexpr int least_exponent() const noexcept { return 1 - bias; }
};

inline constexpr FloatFormat f16_format{16, 10, 15, true};
inline constexpr FloatFormat bf16_format{16, 7, 127, true};
inline constexpr FloatFormat f32_format{32, 23, 127, true};
inline constexpr FloatFormat f64_format{64, 52, 1023, true};
inline constexpr FloatFormat f8_e4m3fn_format{8, 3, 7, false};
inline constexpr FloatFormat f8_e5m2_format{8, 2, 15, true};

/// The finalizer of SplitMix64.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

}  // namespace pintle::base
