// What a conversion to a floating dtype must give, found by another way than the library's: a table of every value that
// the format has, in order, and the neighbours of a number in it. Each number is a double that holds it exactly, and
// two are compared as the integers that are their bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "pintle/convert.h"

namespace pintle::test {

/// SplitMix64 as its author wrote it: the state advances, and what it is then is mixed.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t state) : state_(state) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// What element `index` of a stochastic conversion draws, as `Convert::seed` says.
inline std::uint64_t drawn(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t mixed = SplitMix(seed - 0x9e3779b97f4a7c15u).next();
  return SplitMix(mixed + index * 0x9e3779b97f4a7c15u).next();
}

class FloatReference {
 public:
  FloatReference(int exponent_bits, int fraction_bits, bool has_infinity)
      : fraction_bits_(fraction_bits), sign_bit_(1u << (exponent_bits + fraction_bits)), has_infinity_(has_infinity) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    end_ = has_infinity ? sign_bit_ - (1u << fraction_bits) : sign_bit_ - 1;
    for (std::uint32_t code = 0; code <= end_; ++code) {
      const int exponent = static_cast<int>(code >> fraction_bits);
      const auto fraction = static_cast<double>(code & ((1u << fraction_bits) - 1));
      const double hidden = exponent == 0 ? 0 : std::ldexp(1.0, fraction_bits);
      values_.push_back(std::ldexp(hidden + fraction, std::max(exponent, 1) - bias - fraction_bits));
    }
  }

  /// The first code that is no finite number. `value(end())` is what would come next in a wider format.
  [[nodiscard]] std::uint32_t end() const { return end_; }
  [[nodiscard]] double value(std::uint32_t code) const { return values_[code]; }
  [[nodiscard]] std::uint32_t sign_bit() const { return sign_bit_; }
  [[nodiscard]] bool has_infinity() const { return has_infinity_; }

  /// The number that a code is; NaN for NaN.
  [[nodiscard]] double number(std::uint32_t code) const {
    const std::uint32_t magnitude = code & (sign_bit_ - 1);
    const double sign = (code & sign_bit_) != 0 ? -1 : 1;
    if (magnitude < end_) return sign * values_[magnitude];
    return has_infinity_ && magnitude == end_ ? sign * INFINITY : NAN;
  }

  /// The code of a number; empty where Overflow::error refuses it. `payload` is a NaN's fraction from bit 63 down.
  [[nodiscard]] std::optional<std::uint32_t> code(double number, const Convert& how, std::uint64_t index,
                                                  std::uint64_t payload = 0) const {
    const std::uint32_t sign = std::signbit(number) ? sign_bit_ : 0;
    if (std::isnan(number)) return nan_code(sign, how.nan, payload);
    const double magnitude = std::fabs(number);
    if (std::isinf(number) && how.overflow == Overflow::error)
      return has_infinity_ ? std::optional(sign | end_) : std::nullopt;
    const std::uint32_t place = std::isinf(number) ? end_ : rounded(magnitude, how, index);
    if (place < end_) return sign | place;
    if (how.overflow == Overflow::error) return std::nullopt;
    return sign | (how.overflow == Overflow::saturate ? end_ - 1 : end_);
  }

 private:
  [[nodiscard]] std::uint32_t nan_code(std::uint32_t sign, NanRule rule, std::uint64_t payload) const {
    if (rule == NanRule::canonical) return has_infinity_ ? end_ | 1u << (fraction_bits_ - 1) : end_;
    if (!has_infinity_) return sign | end_;
    const auto kept = static_cast<std::uint32_t>(payload >> (64 - fraction_bits_));
    return sign | end_ | (kept == 0 ? 1 : kept);
  }

  static bool is_less(double a, double b) { return std::bit_cast<std::uint64_t>(a) < std::bit_cast<std::uint64_t>(b); }

  [[nodiscard]] std::uint32_t rounded(double magnitude, const Convert& how, std::uint64_t index) const {
    const auto above = std::upper_bound(values_.begin(), values_.end(), magnitude, is_less);
    const auto below = static_cast<std::uint32_t>(above - values_.begin() - 1);
    if (below == end_ || values_[below] == magnitude) return below;
    const double low = values_[below], high = values_[below + 1];
    if (how.rounding == Rounding::toward_zero) return below;
    if (how.rounding == Rounding::stochastic) {
      const double fraction = std::ldexp((magnitude - low) / (high - low), 64);
      return drawn(how.seed, how.first_element + index) < static_cast<std::uint64_t>(fraction) ? below + 1 : below;
    }
    const double middle = (low + high) / 2;
    if (is_less(magnitude, middle)) return below;
    if (is_less(middle, magnitude)) return below + 1;
    return below + below % 2;
  }

  int fraction_bits_;
  std::uint32_t sign_bit_;
  bool has_infinity_;
  std::uint32_t end_ = 0;
  std::vector<double> values_;
};

inline const FloatReference& reference_of(DType dtype) {
  static const FloatReference& f16 = *new FloatReference(5, 10, true);
  static const FloatReference& bf16 = *new FloatReference(8, 7, true);
  static const FloatReference& e4m3fn = *new FloatReference(4, 3, false);
  static const FloatReference& e5m2 = *new FloatReference(5, 2, true);
  return dtype == DType::f16 ? f16 : dtype == DType::bf16 ? bf16 : dtype == DType::f8_e4m3fn ? e4m3fn : e5m2;
}

}  // namespace pintle::test
