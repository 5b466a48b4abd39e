#include "host/team.h"

#include <algorithm>

#include "base/sync.h"
#include "host/idle_spin.h"

namespace pintle::host {

void Team::open(const Loop& loop, std::uint32_t parts) noexcept {
  const std::uint64_t count = loop.last - loop.first;
  parts_ = static_cast<std::uint32_t>(std::min<std::uint64_t>({parts, max_parts, count}));
  loop_ = loop;
  owner_.store(loop.owner, std::memory_order_relaxed);
  // The number of pieces that is known to make a good claim; otherwise one, to begin with.
  const float piece = loop.cost == nullptr ? static_cast<float>(good_claim.count()) : loop.cost->of(1);
  const float pieces = static_cast<float>(good_claim.count()) / std::max(piece, 1.0f);
  first_claim_ = std::max<std::uint64_t>(static_cast<std::uint64_t>(pieces), 1);
  const std::uint64_t share = count / parts_;
  const std::uint64_t rest = count % parts_;
  std::uint64_t first = loop.first;
  for (std::uint32_t index = 0; index < parts_; ++index) {
    part_[index].next.store(first, std::memory_order_relaxed);
    first += share + (index < rest ? 1 : 0);
    part_[index].end = first;
    part_[index].has_member.store(false, std::memory_order_relaxed);
  }
  state_.store(open_bit, std::memory_order_release);
}

std::uint32_t Team::join() noexcept {
  std::uint32_t state = state_.load(std::memory_order_relaxed);
  while ((state & open_bit) != 0 && (state & joined_mask) != joined_mask) {
    if (state_.compare_exchange_weak(state, state + joined_unit + 1, std::memory_order_acquire,
                                     std::memory_order_relaxed)) {
      return (state & joined_mask) / joined_unit + 1;
    }
  }
  return 0;
}

void Team::leave() noexcept {
  const std::uint32_t before = state_.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & sleep_bit) != 0 && (before & member_mask) == 1) state_.notify_one();
}

void Team::close(Duration spin, const std::atomic<bool>& stop) noexcept {
  if ((state_.fetch_and(~open_bit, std::memory_order_acq_rel) & member_mask) != 0) wait_for_members(spin);
  for (std::uint32_t index = 0; index < parts_ && !stop.load(std::memory_order_relaxed); ++index) {
    const std::uint64_t next = part_[index].next.load(std::memory_order_relaxed);
    if (next < part_[index].end) loop_.body(loop_.context, next, part_[index].end);
  }
}

void Team::wait_for_members(Duration spin) noexcept {
  IdleSpin idle(spin);
  do {
    if ((state_.load(std::memory_order_acquire) & member_mask) == 0) return;
    base::spin_pause();
  } while (idle.may_go_on());
  std::uint32_t state = state_.fetch_or(sleep_bit, std::memory_order_acq_rel) | sleep_bit;
  while ((state & member_mask) != 0) {
    state_.wait(state, std::memory_order_acquire);
    state = state_.load(std::memory_order_acquire);
  }
}

}  // namespace pintle::host
