// Scalars as C has them.
#pragma once

#include <cstdint>
#include <cstring>

#include "capi/check.h"
#include "capi/scalar_bits.h"

namespace pintle::capi {

/// `value` points to as many bytes as a Scalar has.
[[nodiscard]] inline Result<ScalarValue> scalar_of(std::uint32_t dtype, const void* value) {
  PINTLE_ASSIGN(type, enumerator(dtype, DType::complex64, "dtype"));
  std::uint64_t bits;
  std::memcpy(&bits, value, sizeof bits);
  return scalar_of(type, bits);
}

/// `value` points to as many bytes as an element of this dtype has.
[[nodiscard]] inline ScalarValue element_at(const void* value, DType dtype) noexcept {
  ScalarValue element(dtype, {});
  std::memcpy(element.bytes.bytes.data(), value, bytes_of(dtype));
  return element;
}

}  // namespace pintle::capi
