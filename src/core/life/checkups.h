// The threads that ask a device whether it answers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "pintle/deadline.h"

namespace pintle::core {

/// Counts them, so that the end of the process waits for those inside the driver. Any thread may call everything.
class Checkups {
 public:
  /// A thread asks the device, from `begin_asking` to `end_asking`, whether it answers (`check_up`).
  void begin_asking() noexcept { asking_.fetch_add(1); }
  void end_asking() noexcept { asking_.fetch_sub(1); }
  /// Waits until no thread asks, or until the deadline.
  void await_asking(Deadline deadline) const noexcept {
    while (asking_.load() != 0 && Clock::now() < deadline) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  /// Whether the caller, and no other, is to find out whether the device still answers. It ends that suspicion.
  [[nodiscard]] bool begin_suspicion() noexcept { return !is_suspected_.exchange(true); }
  void end_suspicion() noexcept { is_suspected_.store(false); }

 private:
  std::atomic<std::uint32_t> asking_{0};
  std::atomic<bool> is_suspected_{false};
};

}  // namespace pintle::core
