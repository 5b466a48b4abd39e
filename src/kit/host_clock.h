// The host's steady clock, for a device without a clock of its own.
#pragma once

#include <chrono>
#include <cstdint>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// Nanoseconds of the clock: a timestamp of such a device.
[[nodiscard]] inline std::uint64_t host_ticks(Deadline moment = Clock::now()) noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<Duration>(moment.time_since_epoch()).count());
}

/// One clock, so there is no error.
[[nodiscard]] inline backend::ClockPair host_clock_pair() noexcept {
  const Deadline now = Clock::now();
  return {host_ticks(now), now, Duration::zero()};
}

}  // namespace pintle::kit
