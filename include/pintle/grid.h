// How far a launch reaches.
#pragma once

#include <cstdint>

namespace pintle {

/// Work-items that a launch must cover; a command list rounds them up to whole work-groups of the kernel. A rounded
/// count that passes 32 bits is refused.
struct Cover {
  std::uint64_t x = 1;
  std::uint64_t y = 1;
  std::uint64_t z = 1;
};

/// Three counts: the work-groups of a launch, or the work-items of a group.
struct Grid {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  /// Counts work-items instead of work-groups.
  [[nodiscard]] static constexpr Cover cover(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) noexcept {
    return {x, y, z};
  }
  friend bool operator==(const Grid&, const Grid&) noexcept = default;
};

}  // namespace pintle
