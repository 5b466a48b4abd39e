// What a piece of work costs, learned from what it has cost.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "pintle/deadline.h"

namespace pintle::kit {

/// The cost of work that has not been measured.
inline constexpr float unknown_cost = std::numeric_limits<float>::infinity();

/// The recent cost of one piece of a loop: a loop that is over in a moment is not worth sharing. It belongs to the work
/// in the loop. Any thread may read and teach it.
class LoopCost {
 public:
  LoopCost() = default;
  LoopCost(const LoopCost&) noexcept {}  // a copy learns by itself
  LoopCost& operator=(const LoopCost&) = delete;

  [[nodiscard]] bool is_known() const noexcept { return of(1) != unknown_cost; }
  /// Nanoseconds; infinite before the first lesson.
  [[nodiscard]] float of(std::uint64_t pieces) const noexcept {
    return nanoseconds_.load(std::memory_order_relaxed) * static_cast<float>(pieces);
  }
  /// Dearer pieces are believed at once, cheaper ones by and by: to take a dear loop for a cheap one is the worse
  /// mistake.
  void learn(Duration elapsed, std::uint64_t pieces) noexcept {
    const float now = static_cast<float>(elapsed.count()) / static_cast<float>(pieces);
    const float before = nanoseconds_.load(std::memory_order_relaxed);
    const bool believed = now >= before || before == unknown_cost;
    nanoseconds_.store(believed ? now : before - (before - now) / 8, std::memory_order_relaxed);
  }

 private:
  std::atomic<float> nanoseconds_{unknown_cost};
};

}  // namespace pintle::kit
