// A value that only rises or fails, and the threads and callbacks that wait for it.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "base/sync.h"
#include "kit/waiter_tree.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::core {

class Worklist;

enum class PointStatus : std::uint8_t { pending, reached, failed };

/// The timeline of a Signal or Queue. `Sync` supplies the atomics, locks and waits, so that the interleaving test runs
/// this very code under a deterministic scheduler.
///
/// No wake-up is lost because value, failure and the tree of waiters change only under one mutex: a waiter that links
/// itself has seen, under that mutex, that its value is still pending, so a thread that raises or fails the timeline
/// later finds it linked.
template <class Sync>
class BasicTimeline {
 public:
  /// One that waits for a value. `fire` runs once, under the timeline's lock. It is short, and takes only locks that no
  /// thread holds while calling a timeline.
  class Waiter : public kit::WaiterTree::Node {
   public:
    virtual void fire(Worklist& worklist) noexcept = 0;

   protected:
    ~Waiter() = default;
  };

  explicit BasicTimeline(std::uint64_t initial) noexcept : value_(initial) {}

  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(std::memory_order_acquire); }

  /// A point that was reached before a failure stays reached.
  [[nodiscard]] PointStatus status(std::uint64_t value) const noexcept {
    const bool failed = failed_.load(std::memory_order_acquire);
    if (value_.load(std::memory_order_acquire) >= value) return PointStatus::reached;
    return failed && value >= failed_from_.load(std::memory_order_acquire) ? PointStatus::failed : PointStatus::pending;
  }

  /// Why points fail, if any do.
  [[nodiscard]] std::optional<Error> failure() const {
    std::lock_guard lock(mutex_);
    return failure_;
  }

  /// Raises the value to `value`, and fires the waiters. Does nothing where the value is there already or has failed.
  void raise(std::uint64_t value, Worklist& worklist) noexcept {
    std::lock_guard lock(mutex_);
    if (value <= value_.load(std::memory_order_relaxed)) return;
    if (failure_ && value >= failed_from_.load(std::memory_order_relaxed)) return;
    value_.store(value, std::memory_order_release);
    while (waiters_.first() != nullptr && waiters_.first()->value() <= value) fire(waiters_.first(), worklist);
  }

  /// Fails every point from `from` on (by default all that are not reached), now and in future. The first failure is
  /// kept; a later one that begins earlier fails the points between as well. Points before `from` may still be reached.
  /// False when the timeline had failed before.
  bool fail(Error error, Worklist& worklist, std::optional<std::uint64_t> from = std::nullopt) noexcept {
    std::lock_guard lock(mutex_);
    const bool is_first = !failure_;
    const std::uint64_t begin = from.value_or(value_.load(std::memory_order_relaxed) + 1);
    if (!is_first && begin >= failed_from_.load(std::memory_order_relaxed)) return false;
    if (is_first) failure_.emplace(std::move(error));
    failed_from_.store(begin, std::memory_order_release);
    failed_.store(true, std::memory_order_release);
    for (auto* last = waiters_.last(); last != nullptr && last->value() >= begin; last = waiters_.last())
      fire(last, worklist);
    return is_first;
  }

  /// Links the waiter where `value` is still pending. Otherwise the status is returned, and the waiter is not linked.
  [[nodiscard]] PointStatus add(Waiter& waiter, std::uint64_t value) noexcept {
    std::lock_guard lock(mutex_);
    const PointStatus now = status(value);
    if (now == PointStatus::pending) link(waiter, value);
    return now;
  }

  /// Unlinks the waiter. False when it has been fired; `fire` has returned by then.
  bool remove(Waiter& waiter) noexcept {
    std::lock_guard lock(mutex_);
    if (!waiter.is_linked()) return false;
    unlink(waiter);
    return true;
  }

  /// Whether a waiter waits for `value` or less. Takes no lock. A thread that publishes a state and then asks, and a
  /// waiter that is linked and then looks for that state, do not miss each other: all four steps are sequentially
  /// consistent.
  [[nodiscard]] bool has_waiters(std::uint64_t value) const noexcept { return lowest_.load() <= value; }

 private:
  void fire(kit::WaiterTree::Node* node, Worklist& worklist) noexcept {
    auto& waiter = static_cast<Waiter&>(*node);
    unlink(waiter);
    waiter.fire(worklist);
  }

  void link(Waiter& waiter, std::uint64_t value) noexcept {
    waiters_.add(waiter, value);
    if (waiters_.first() == &waiter) lowest_.store(value);
  }

  void unlink(Waiter& waiter) noexcept {
    const bool is_first = waiters_.first() == &waiter;
    waiters_.remove(waiter);
    if (is_first) lowest_.store(waiters_.first() != nullptr ? waiters_.first()->value() : nobody);
  }

  // A waiter may wait for this value too; then `has_waiters` may answer yes for no waiter, which costs a look.
  static constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();

  mutable typename Sync::Mutex mutex_;
  typename Sync::template Atomic<std::uint64_t> value_;
  typename Sync::template Atomic<bool> failed_{false};
  typename Sync::template Atomic<std::uint64_t> failed_from_{
      0};  // written before failed_; only ever lowered after that
  typename Sync::template Atomic<std::uint64_t> lowest_{nobody};  // the value of the first waiter
  std::optional<Error> failure_;
  kit::WaiterTree waiters_;
};

/// Where a host thread sleeps until one of its waiters is fired.
template <class Sync>
class BasicParker {
 public:
  void unpark() noexcept {
    std::lock_guard lock(mutex_);
    fired_ = true;
    condition_.notify_all();
  }

  /// True when fired; false when the deadline passed before that.
  [[nodiscard]] bool park(Deadline deadline) {
    std::unique_lock lock(mutex_);
    while (!fired_) {
      if (deadline == Deadline::max()) {
        condition_.wait(lock);
      } else if (Sync::now() < deadline) {
        condition_.wait_until(lock, deadline);
      } else {
        return false;
      }
    }
    fired_ = false;
    return true;
  }

 private:
  typename Sync::Mutex mutex_;
  typename Sync::Condition condition_;
  bool fired_ = false;
};

/// A waiter that wakes a parked thread.
template <class Sync>
class BasicParkedWaiter final : public BasicTimeline<Sync>::Waiter {
 public:
  explicit BasicParkedWaiter(BasicParker<Sync>& parker) noexcept : parker_(&parker) {}
  void fire(Worklist&) noexcept override { parker_->unpark(); }

 private:
  BasicParker<Sync>* parker_;
};

using Timeline = BasicTimeline<base::StdSync>;
using Parker = BasicParker<base::StdSync>;
using ParkedWaiter = BasicParkedWaiter<base::StdSync>;

}  // namespace pintle::core
