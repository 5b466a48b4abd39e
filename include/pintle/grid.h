// The extent of a launch.
#pragma once

#include <cstdint>

namespace pintle {

/// Work-items that a launch must cover. A command list rounds them up to whole work-groups of the kernel; a count of
/// groups beyond the limit of the device is `invalid_argument`.
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

  /// An extent in work-items instead of work-groups.
  [[nodiscard]] static constexpr Cover cover(std::uint64_t x, std::uint64_t y = 1, std::uint64_t z = 1) noexcept {
    return {x, y, z};
  }
  friend bool operator==(const Grid&, const Grid&) noexcept = default;
};

}  // namespace pintle
