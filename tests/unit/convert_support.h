// What the tests of conversions share: typed elements in and out, and the rules in every combination.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "pintle/convert.h"
#include "unit/convert_reference.h"

namespace pintle::test {

inline constexpr std::array narrow_dtypes{DType::f16, DType::bf16, DType::f8_e4m3fn, DType::f8_e5m2};
inline constexpr std::array every_rounding{Rounding::nearest_even, Rounding::toward_zero, Rounding::stochastic};
inline constexpr std::array every_overflow{Overflow::infinity, Overflow::saturate, Overflow::error};
inline constexpr std::array every_nan{NanRule::canonical, NanRule::payload};

/// Calls `body` with `how` under every combination of rules.
template <class Body>
void for_every_rule(Convert how, Body body) {
  for (const Rounding rounding : every_rounding) {
    for (const Overflow overflow : every_overflow) {
      for (const NanRule nan : every_nan) {
        how.seed = rounding == Rounding::stochastic ? 20261121 : 0;
        const Convert ruled = how.with(rounding).with(overflow).with(nan);
        SCOPED_TRACE(testing::Message() << name(how.from) << " to " << name(how.to) << " by rounding "
                                        << static_cast<int>(rounding) << ", overflow " << static_cast<int>(overflow)
                                        << ", NaN " << static_cast<int>(nan));
        body(ruled);
      }
    }
  }
}

/// The bytes that a conversion makes, or its error.
inline Result<std::vector<std::byte>> converted_raw(std::span<const std::byte> from, const Convert& how) {
  PINTLE_ASSIGN(size, converted_bytes(from.size(), how));
  std::vector<std::byte> to(size, std::byte{0xa5});
  PINTLE_TRY(convert(to, from, how));
  return to;
}

template <class To, class From>
Result<std::vector<To>> converted(const std::vector<From>& from, const Convert& how) {
  PINTLE_ASSIGN(raw, converted_raw(std::as_bytes(std::span(from)), how));
  std::vector<To> to(raw.size() / sizeof(To));
  if (!raw.empty()) std::memcpy(to.data(), raw.data(), raw.size());
  return to;
}

/// Codes of one or two bytes as numbers.
inline Result<std::vector<std::uint32_t>> converted_codes(std::span<const std::byte> from, const Convert& how) {
  PINTLE_ASSIGN(raw, converted_raw(from, how));
  const std::size_t size = bytes_of(how.to);
  std::vector<std::uint32_t> codes(raw.size() / size);
  for (std::size_t i = 0; i < codes.size(); ++i) std::memcpy(&codes[i], raw.data() + i * size, size);
  return codes;
}

/// The text of the error; a conversion that succeeds fails the test.
template <class From>
std::string refusal_of(const std::vector<From>& from, const Convert& how) {
  const auto raw = converted_raw(std::as_bytes(std::span(from)), how);
  if (raw) return "accepted";
  EXPECT_EQ(raw.error().code(), Errc::invalid_argument);
  return std::string(raw.error().message());
}

inline float f32_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline std::uint64_t payload_of(float number) { return std::uint64_t{std::bit_cast<std::uint32_t>(number)} << 41; }
inline std::uint64_t payload_of(double number) { return std::bit_cast<std::uint64_t>(number) << 12; }

}  // namespace pintle::test
