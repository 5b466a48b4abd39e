// A lock for short sections.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/sync.h"

namespace pintle::base {

/// Two instructions where nobody else wants it. A thread that finds it taken looks again after longer and longer rests,
/// together some ten microseconds, and sleeps then. The rests are longer than the sections that it is for. So a thread
/// that comes again and again runs many of them while what they touch is in its own caches. Not recursive, not fair.
class Mutex {
 public:
  Mutex() noexcept = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() noexcept {
    if (!try_lock()) wait();
  }
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t expected = free;
    return state_.compare_exchange_strong(expected, taken, std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// The same; where somebody has it, the thread that unlocks is told that it was awaited.
  [[nodiscard]] bool try_lock_or_await() noexcept {
    return state_.exchange(awaited, std::memory_order_acq_rel) == free;
  }
  /// True when somebody may have awaited it.
  bool unlock() noexcept {
    if (state_.exchange(free, std::memory_order_acq_rel) != awaited) return false;
    state_.notify_one();
    return true;
  }

 private:
  static constexpr std::uint32_t free = 0, taken = 1;
  static constexpr std::uint32_t awaited = 2;  // taken, and somebody may sleep

  [[gnu::noinline]] void wait() noexcept {
    constexpr int first = 32, last = 512;  // pauses between looks
    for (int pauses = first; pauses <= last; pauses *= 2) {
      for (int i = 0; i < pauses; ++i) spin_pause();
      if (state_.load(std::memory_order_relaxed) == free && try_lock()) return;
    }
    while (state_.exchange(awaited, std::memory_order_acquire) != free) state_.wait(awaited, std::memory_order_relaxed);
  }

  std::atomic<std::uint32_t> state_{free};
};

}  // namespace pintle::base
