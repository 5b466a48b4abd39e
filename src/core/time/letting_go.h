// Work that has ended, and whose owners are still being let go.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/sync.h"
#include "pintle/deadline.h"

namespace pintle::core {

/// The core thread observes queues that nobody asks for. It raises a timeline under the device's lock, and lets go of
/// what the finished work owned without it. A thread that waits between the two would find its point reached and its
/// memory not let go. So it waits for both, as it would have let go itself where the core thread had not been first.
///
/// No such wait is cut short because the count rises before the timeline does: a thread that finds the point reached
/// finds the count, or finds it back at zero when the owners have gone.
template <class Sync>
class BasicLettingGo {
 public:
  /// Called before the timeline is raised.
  void begin() noexcept { count_.fetch_add(1, std::memory_order_relaxed); }
  /// Called when the owners have gone.
  void end() noexcept { count_.fetch_sub(1, std::memory_order_release); }
  [[nodiscard]] bool is_going_on() const noexcept { return count_.load(std::memory_order_acquire) != 0; }

 private:
  typename Sync::template Atomic<std::uint32_t> count_{0};
};

using LettingGo = BasicLettingGo<base::StdSync>;

/// Whether the calling thread has something to wait for. A destructor or callback never has: it could be the one that
/// is waited for.
[[nodiscard]] bool must_await(const LettingGo& letting_go) noexcept;
void await_all(const LettingGo& letting_go, Deadline deadline) noexcept;
/// Returns when nothing is being let go, but at the deadline or after a second in any case: destructors of the user's
/// may wait for the calling thread.
inline void await(const LettingGo& letting_go, Deadline deadline) noexcept {
  if (letting_go.is_going_on()) await_all(letting_go, deadline);
}

}  // namespace pintle::core
