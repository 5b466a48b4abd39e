// How long an idle thread polls, and how it behaves meanwhile.
#pragma once

#include <chrono>
#include <thread>

#include "pintle/deadline.h"

namespace pintle::host {

/// A period of polling. The awaited thread may be runnable on the same processor, so after a few microseconds, and then
/// repeatedly, the polling thread lets other threads run. A test turns a `Time` of its own.
template <class Time>
class BasicIdleSpin {
 public:
  explicit BasicIdleSpin(Duration limit) noexcept : limit_(limit) {}

  /// Notes that there was something to do: the next look begins a new period.
  void restart() noexcept { end_ = Deadline::min(); }
  /// Called between polls: whether the period goes on.
  [[nodiscard]] bool may_go_on() noexcept { return look() < end_; }
  [[nodiscard]] bool is_over() const noexcept { return Time::now() >= end_; }
  /// What `may_go_on` answers, for a thread that also has a deadline.
  [[nodiscard]] bool may_go_on(Deadline deadline) noexcept {
    const Deadline now = look();
    return now < end_ && now < deadline;
  }

 private:
  static constexpr Duration polite_after = std::chrono::microseconds(4);

  Deadline look() noexcept {
    const Deadline now = Time::now();
    if (end_ == Deadline::min()) {
      end_ = now + limit_;
      yield_at_ = now + polite_after;
    } else if (now >= yield_at_) {
      std::this_thread::yield();
      yield_at_ = Time::now() + polite_after;
    }
    return now;
  }

  const Duration limit_;
  Deadline end_ = Deadline::min();
  Deadline yield_at_ = Deadline::min();
};

using IdleSpin = BasicIdleSpin<Clock>;

}  // namespace pintle::host
