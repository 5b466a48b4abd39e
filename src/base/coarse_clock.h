// A look at the clock that costs a few nanoseconds.
#pragma once

#include <time.h>

#include <chrono>

#include "pintle/deadline.h"

namespace pintle::base {

/// The moment of the system's last tick: never ahead of `Clock::now()`, and behind it by no more than `coarse_tick` on
/// a machine that is not stopped.
[[nodiscard]] inline Deadline coarse_now() noexcept {
#if defined(CLOCK_MONOTONIC_COARSE)
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return Deadline(std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec));
#else
  return Clock::now();
#endif
}
inline constexpr Duration coarse_tick = std::chrono::milliseconds(10);  // 100 Hz, the slowest that is in use

}  // namespace pintle::base
