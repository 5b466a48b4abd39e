#include "base/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>

namespace pintle::base {
namespace {

/// The steady clock is the system's monotonic clock, and the bitset form of the call takes moments of that clock.
timespec moment(Deadline deadline) noexcept {
  const auto since = std::max(deadline.time_since_epoch(), Duration::zero());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  return {.tv_sec = static_cast<std::time_t>(seconds.count()),
          .tv_nsec = static_cast<long>(std::chrono::nanoseconds(since - seconds).count())};
}

}  // namespace

void futex_wait(const std::uint32_t* word, std::uint32_t seen, Deadline deadline) noexcept {
  const timespec until = moment(deadline);
  const timespec* const limit = deadline == Deadline::max() ? nullptr : &until;
  ::syscall(SYS_futex, word, FUTEX_WAIT_BITSET, seen, limit, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void futex_wake(std::uint32_t* word) noexcept {
  ::syscall(SYS_futex, word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
}

}  // namespace pintle::base
