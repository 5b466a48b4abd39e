// Threads that do things a moment later.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>

namespace pintle::hostile {

/// Three threads that live as long as the process. Thread-safe.
class Hands {
 public:
  static Hands& instance();

  /// Runs `work` on one of the threads, after a time that the seed decides: half the time at once, never later than
  /// half a millisecond, but for what runs before.
  void later(std::function<void()> work);

 private:
  using Clock = std::chrono::steady_clock;

  Hands();
  [[noreturn]] void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<Clock::time_point, std::function<void()>> due_;
};

}  // namespace pintle::hostile
