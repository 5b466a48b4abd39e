// How long an idle thread polls, and how it behaves meanwhile.
#pragma once

#include <chrono>
#include <thread>

#include "pintle/deadline.h"

namespace pintle::host {

/// A period of polling. The thread that is awaited may be runnable on the same processor, so after a few microseconds,
/// and again and again, the polling thread lets others run.
class IdleSpin {
 public:
  explicit IdleSpin(Duration limit) noexcept : limit_(limit) {}

  /// There was something to do: the next look begins a new period.
  void restart() noexcept { end_ = Deadline::min(); }
  /// Between polls: whether the period goes on.
  [[nodiscard]] bool may_go_on() noexcept { return look() < end_; }
  [[nodiscard]] bool is_over() const noexcept { return Clock::now() >= end_; }
  /// The same as `may_go_on`, for a thread that has a deadline too.
  [[nodiscard]] bool may_go_on(Deadline deadline) noexcept {
    const Deadline now = look();
    return now < end_ && now < deadline;
  }

 private:
  static constexpr Duration polite_after = std::chrono::microseconds(4);

  Deadline look() noexcept {
    const Deadline now = Clock::now();
    if (end_ == Deadline::min()) {
      end_ = now + limit_;
      yield_at_ = now + polite_after;
    } else if (now >= yield_at_) {
      std::this_thread::yield();
      yield_at_ = Clock::now() + polite_after;
    }
    return now;
  }

  const Duration limit_;
  Deadline end_ = Deadline::min();
  Deadline yield_at_ = Deadline::min();
};

}  // namespace pintle::host
