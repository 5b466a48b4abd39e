// A lock for short sections.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/sync.h"

namespace pintle::base {

/// Two instructions where no other thread wants it. A thread that finds it taken looks again after longer and longer
/// rests, which take some ten microseconds together, and then sleeps. The rests are longer than the sections that this
/// lock is for. So a thread that locks again and again runs many sections while their data is in its own caches. Not
/// recursive, not fair.
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
  /// Tries to lock. Where another thread has the lock, that thread is told at unlocking that it was awaited.
  [[nodiscard]] bool try_lock_or_await() noexcept {
    return state_.exchange(awaited, std::memory_order_acq_rel) == free;
  }
  /// True when another thread may have awaited the lock.
  bool unlock() noexcept {
    if (state_.exchange(free, std::memory_order_acq_rel) != awaited) return false;
    state_.notify_one();
    return true;
  }

 private:
  static constexpr std::uint32_t free = 0, taken = 1;
  static constexpr std::uint32_t awaited = 2;  // taken, and a thread may sleep

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
