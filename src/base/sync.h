// The atomics, locks and clock that timelines and waits use. A test puts a deterministic scheduler in their place and
// runs the same code through every interleaving.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "pintle/deadline.h"

namespace pintle::base {

/// Tells the processor that this thread spins.
inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Asks for the cache line of `place` before it is written, so that the write need not wait for other processors.
inline void prefetch_for_writing([[maybe_unused]] const void* place) noexcept {
#if defined(__x86_64__) || defined(__i386__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(place)));  // the builtin needs a newer target
#else
  __builtin_prefetch(place, 1);
#endif
}

/// What the library runs with. A replacement has the same members. Its Condition has `wait(lock)`, `wait_until(lock,
/// deadline)` and `notify_all()` over `std::unique_lock<Mutex>`.
struct StdSync {
  template <class T>
  using Atomic = std::atomic<T>;
  using Mutex = std::mutex;
  using Condition = std::condition_variable;
  [[nodiscard]] static Deadline now() noexcept { return Clock::now(); }
  static void pause() noexcept { spin_pause(); }
};

}  // namespace pintle::base
