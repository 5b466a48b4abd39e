// Memory of the host that a call reads or writes. NULL is no memory: that of 0 bytes.
#pragma once

#include <cstddef>
#include <span>

#include "capi/check.h"

namespace pintle::capi {

[[nodiscard]] inline Result<std::span<const std::byte>> readable_bytes(const void* first, std::size_t size,
                                                                       const char* what) {
  if (size != 0) PINTLE_TRY(given(first, what));
  return std::span(static_cast<const std::byte*>(first), size);
}

[[nodiscard]] inline Result<std::span<std::byte>> writable_bytes(void* first, std::size_t size, const char* what) {
  if (size != 0) PINTLE_TRY(given(first, what));
  return std::span(static_cast<std::byte*>(first), size);
}

}  // namespace pintle::capi
