// One call that hangs until a test lets it go.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace pintle::hanging {

/// Far enough that only a hang reaches it.
inline constexpr std::chrono::seconds bound{20};

/// Once armed, the next thread that passes is kept; those after it are not.
class Gate {
 public:
  void arm() {
    const std::lock_guard lock(mutex_);
    state_ = State::armed;
  }
  void pass() {
    std::unique_lock lock(mutex_);
    if (state_ != State::armed) return;
    state_ = State::taken;
    changed_.notify_all();
    changed_.wait(lock, [&] { return state_ == State::open; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    state_ = State::open;
    changed_.notify_all();
  }
  /// Waits until a thread is kept; false past the bound.
  [[nodiscard]] bool wait_for_someone() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, bound, [&] { return state_ == State::taken; });
  }

 private:
  enum class State : unsigned char { idle, armed, taken, open };

  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::idle;
};

}  // namespace pintle::hanging
