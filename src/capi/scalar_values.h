// Scalars as C has them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "capi/check.h"
#include "pintle/dtype.h"

namespace pintle::capi {

/// What a scalar of each dtype has of eight bytes.
[[nodiscard]] inline std::uint64_t mask_of(DType dtype) noexcept {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::size_t count = static_cast<std::size_t>(DType::complex64) + 1;
  static const std::array<std::uint64_t, count> masks = [] {
    std::array<std::uint64_t, count> made{};
    for (std::size_t i = 1; i < count; ++i) made[i] = ~std::uint64_t{0} >> (64 - 8 * bytes_of(static_cast<DType>(i)));
    return made;
  }();
  return masks[static_cast<std::size_t>(dtype)];
}

/// `value` points to as many bytes as a Scalar has.
[[nodiscard, gnu::always_inline]] inline Result<ScalarValue> scalar_of(std::uint32_t dtype, const void* value) {
  PINTLE_ASSIGN(type, enumerator(dtype, DType::complex64, "dtype"));
  std::uint64_t bits;
  std::memcpy(&bits, value, sizeof bits);
  return ScalarValue(type, std::bit_cast<Scalar>(bits & mask_of(type)));
}

}  // namespace pintle::capi
