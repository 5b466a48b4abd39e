// Whose turn it is on a device without threads of its own.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>

#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::kit {

/// One thread at a time runs the work. Thread-safe.
class OneDriver {
 public:
  /// Any thread may call `is_over`. Runs `body`, which throws nothing, when no other thread does; nothing where
  /// `is_over` is true, or the deadline has passed, before the other one ends. `invalid_argument` inside of `body`: a
  /// host call waits.
  template <class IsOver, class Body>
  [[nodiscard]] Result<void> drive(std::string_view device, Deadline deadline, IsOver is_over, Body body) {
    std::unique_lock lock(mutex_);
    const std::thread::id self = std::this_thread::get_id();
    if (driver_ == self) {
      return Error(Errc::invalid_argument,
                   fmt::format("Wait inside a host call of [{}] would wait for itself.", device));
    }
    while (driver_ != std::thread::id()) {
      lock.unlock();
      if (is_over() || Clock::now() >= deadline) return {};
      lock.lock();
      if (driver_ == std::thread::id()) break;
      // It looks again: the other thread's drive may bring its end long before that thread's own.
      ended_.wait_until(lock, std::min(deadline, Clock::now() + std::chrono::milliseconds(1)));
    }
    driver_ = self;
    lock.unlock();
    body();
    lock.lock();
    driver_ = {};
    lock.unlock();
    ended_.notify_all();
    return {};
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::thread::id driver_;
};

}  // namespace pintle::kit
