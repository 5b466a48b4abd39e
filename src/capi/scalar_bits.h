// Scalars of which more bits are given than they have.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <iterator>

#include "pintle/dtype.h"

namespace pintle::capi {

/// What a scalar of each dtype has of eight bytes. A table of the compiler's, so that no call has to ask whether it was
/// made; tests/unit holds it to bytes_of.
inline constexpr auto scalar_masks = [] {
  constexpr int bytes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 1, 1, 8};
  static_assert(std::size(bytes) == static_cast<std::size_t>(DType::complex64) + 1);
  std::array<std::uint64_t, std::size(bytes)> made{};
  for (std::size_t i = 1; i < made.size(); ++i) made[i] = ~std::uint64_t{0} >> (64 - 8 * bytes[i]);
  return made;
}();

/// A scalar of this dtype, of which `bits` may have more.
[[nodiscard, gnu::always_inline]] inline ScalarValue scalar_of(DType dtype, std::uint64_t bits) noexcept {
  static_assert(std::endian::native == std::endian::little);
  return {dtype, std::bit_cast<Scalar>(bits & scalar_masks.data()[static_cast<std::size_t>(dtype)])};
}

}  // namespace pintle::capi
