// Access to host memory for a device that may be lost meanwhile.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace pintle::kit {

/// A thread that touches host memory of submissions, or runs their host calls, is inside. Closing waits for the threads
/// inside, so that nothing is touched once a loss is told. Thread-safe.
class HostAccess {
 public:
  /// False once closed: the caller must touch nothing. May throw std::bad_alloc.
  [[nodiscard]] bool enter() {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    inside_.push_back(std::this_thread::get_id());
    return true;
  }
  void leave() noexcept {
    const std::lock_guard lock(mutex_);
    inside_.erase(std::ranges::find(inside_, std::this_thread::get_id()));
    left_.notify_all();
  }
  /// Waits until every other thread has left, but no longer than `patience`, since a host call is the user's code.
  void close(std::chrono::nanoseconds patience = std::chrono::seconds(5)) noexcept {
    std::unique_lock lock(mutex_);
    closed_ = true;
    const auto is_mine = [self = std::this_thread::get_id()](std::thread::id one) { return one == self; };
    left_.wait_for(lock, patience, [&] { return std::ranges::all_of(inside_, is_mine); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  std::vector<std::thread::id> inside_;
  bool closed_ = false;
};

}  // namespace pintle::kit
