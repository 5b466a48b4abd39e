// What all files of arrays share: elements as bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "pintle/dtype.h"

namespace pintle::io {

/// Bytes of one number, which byte order and alignment concern. A complex element has two numbers.
[[nodiscard]] inline std::uint64_t number_bytes(DType dtype) noexcept {
  return dtype == DType::complex64 ? 4 : bytes_of(dtype);
}

/// The index of the first byte that is not a bool: neither 0 nor 1.
[[nodiscard]] inline std::optional<std::size_t> find_no_bool(std::span<const std::byte> bytes) {
  const auto found = std::ranges::find_if(bytes, [](std::byte byte) { return byte > std::byte{1}; });
  if (found == bytes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - bytes.begin());
}

}  // namespace pintle::io
