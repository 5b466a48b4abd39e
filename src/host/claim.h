// Which thread runs a queue.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/sync.h"

namespace pintle::host {

/// One word, which submitters, workers and threads that wait change. At most one of them owns the queue at a time.
///
/// Why no work is forgotten: work that comes in while a thread owns the queue sets `pending`, and `release` fails then.
/// Where no thread owns the queue, the submitter has two ways. It becomes the owner and gives the queue to a worker. Or
/// it leaves the work, `pending`, to a thread that waits for it. `watched` then says that a worker looks now and then,
/// and takes work that has been left for too long; `unwatch` fails while work is left. Where the queue is not watched,
/// the submitter has it watched.
template <class Sync>
class BasicClaim {
 public:
  enum class Submitted : std::uint8_t {
    in_hand,    ///< A thread owns the queue or watches it.
    mine,       ///< The caller owns the queue now.
    unwatched,  ///< The work was left, and the caller must have the queue watched.
  };

  /// Tells of work for a worker.
  [[nodiscard]] Submitted hand_over() noexcept { return submit(owned); }
  /// Tells of work for a thread that waits.
  [[nodiscard]] Submitted leave() noexcept { return submit(0); }

  /// Takes work that was left; false where none was, or where a thread owns the queue.
  [[nodiscard]] bool take() noexcept {
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    while ((state & (owned | pending)) == pending) {
      if (state_.compare_exchange_strong(state, (state & ~pending) | owned, std::memory_order_acq_rel)) return true;
    }
    return false;
  }
  /// Called by the owner when it has nothing to do. False where work came in: the caller stays the owner.
  [[nodiscard]] bool release() noexcept {
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    while ((state & pending) == 0) {
      if (state_.compare_exchange_strong(state, state & ~owned, std::memory_order_acq_rel)) return true;
    }
    while (!state_.compare_exchange_strong(state, state & ~pending, std::memory_order_acq_rel)) {
    }
    return false;
  }

  // Called by the threads that keep the list of watched queues, one at a time.
  void watch() noexcept {
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    while (!state_.compare_exchange_strong(state, state | watched, std::memory_order_acq_rel)) {
    }
  }
  /// False where a thread owns the queue or work is left.
  [[nodiscard]] bool unwatch() noexcept {
    std::uint32_t state = watched;
    return state_.compare_exchange_strong(state, 0, std::memory_order_acq_rel);
  }

  [[nodiscard]] bool is_left() const noexcept {
    return (state_.load(std::memory_order_acquire) & (owned | pending)) == pending;
  }
  /// True when no thread has anything to do with the queue any more.
  [[nodiscard]] bool is_free() const noexcept { return state_.load(std::memory_order_acquire) == 0; }

 private:
  static constexpr std::uint32_t owned = 1;
  static constexpr std::uint32_t pending = 2;
  static constexpr std::uint32_t watched = 4;

  [[nodiscard]] Submitted submit(std::uint32_t wanted) noexcept {
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    while (true) {
      const bool is_mine = (state & owned) == 0 && wanted != 0;
      const std::uint32_t next = is_mine ? (state & ~pending) | owned : state | pending;
      if (!state_.compare_exchange_strong(state, next, std::memory_order_acq_rel)) continue;
      if (is_mine) return Submitted::mine;
      return (state & (owned | watched)) != 0 ? Submitted::in_hand : Submitted::unwatched;
    }
  }

  typename Sync::template Atomic<std::uint32_t> state_{0};
};

using Claim = BasicClaim<base::StdSync>;

}  // namespace pintle::host
