// How many bytes of a fill's pattern a device has to repeat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "pintle/backend/command.h"

namespace pintle::kit {

/// The bytes after which the pattern comes again: a pattern of eight bytes may be one of four, twice.
[[nodiscard]] inline std::uint32_t period_of(const backend::Fill& fill) noexcept {
  constexpr std::uint32_t half = 4;
  const std::byte* const bytes = fill.pattern.bytes.data();
  return fill.pattern_size == 2 * half && std::memcmp(bytes, bytes + half, half) == 0 ? half : fill.pattern_size;
}

}  // namespace pintle::kit
