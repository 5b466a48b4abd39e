// A wait that looks for the end of work while waits are short, and then sleeps.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "host/idle_spin.h"
#include "pintle/error.h"

namespace pintle::host {

/// A thread that sleeps is woken late, so a thread that waits looks first, for as long as waits were short lately.
/// After a few long waits it sleeps at once, and after short ones it looks again. Any number of threads may wait. A
/// test turns a `Time` of its own.
template <class Time>
class BasicSpinThenSleep {
 public:
  /// A wait that takes less is short.
  static constexpr Duration most = std::chrono::microseconds(100);

  /// A wait never looks for longer than `limit`: zero where the work needs the thread's processor.
  explicit BasicSpinThenSleep(Duration limit = most) noexcept : limit_(limit), look_(limit) {}

  /// How long the next wait looks.
  [[nodiscard]] Duration look() const noexcept { return look_.load(std::memory_order_relaxed); }
  /// Looks by `is_over()`, a Result<bool>, and then calls `sleep()`, which ends with the work or at the deadline.
  template <class IsOver, class Sleep>
  [[nodiscard]] Result<void> wait(Deadline deadline, IsOver is_over, Sleep sleep) {
    if (limit_ == Duration::zero()) return sleep();
    const Deadline begin = Time::now();
    PINTLE_ASSIGN(has_ended, spin(deadline, is_over));
    auto waited = has_ended ? Result<void>() : sleep();
    const Duration elapsed = Time::now() - begin;
    if (waited || elapsed >= most) learn(elapsed);
    return waited;
  }

 private:
  static constexpr Duration least = std::chrono::microseconds(2);  // less is not worth a look

  template <class IsOver>
  [[nodiscard]] Result<bool> spin(Deadline deadline, IsOver is_over) {
    BasicIdleSpin<Time> idle(look());
    while (idle.may_go_on(deadline)) {
      PINTLE_ASSIGN(has_ended, is_over());
      if (has_ended) return true;
    }
    return false;
  }

  void learn(Duration elapsed) noexcept {
    const Duration before = look();
    const Duration after = elapsed < most ? std::min(std::max(before * 2, least), limit_) : before / 2;
    look_.store(after < least ? Duration::zero() : after, std::memory_order_relaxed);
  }

  const Duration limit_;
  std::atomic<Duration> look_;
};

using SpinThenSleep = BasicSpinThenSleep<Clock>;

}  // namespace pintle::host
