// A queue's timeline as a counter in host memory, for backends whose work is finished by threads of this process.
#pragma once

#include <cstdint>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/sync.h"
#include "pintle/backend/driver.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::kit {

/// Rises by `advance` (one thread at a time), or fails once and for ever. Any thread may call everything else.
///
/// Why no wake-up is lost: a thread that waits lowers `wake_at_` and then reads `value_`; the thread that advances
/// raises `value_` and then reads `wake_at_`. All four steps are sequentially consistent, so at least one of the two
/// threads sees the other's store. If it is the advancing thread, it passes through the mutex, which the waiter holds
/// from before its store until it sleeps: the signal comes after the sleep has begun. `fail` raises `failed_` under the
/// mutex, and every waiter reads `failed_` under the mutex.
template <class Sync>
class BasicHostTimeline {
 public:
  /// A registration that its owner keeps alive until it has been called.
  struct Watch {
    std::uint64_t serial = 0;
    backend::Notification notification;

   private:
    friend class BasicHostTimeline;
    Watch* next = nullptr;
    bool owned = false;
  };

  explicit BasicHostTimeline(std::uint64_t first) noexcept : value_(first) {}
  BasicHostTimeline(const BasicHostTimeline&) = delete;
  BasicHostTimeline& operator=(const BasicHostTimeline&) = delete;
  ~BasicHostTimeline() {
    while (Watch* watch = pop()) {
      if (watch->owned) delete watch;
    }
  }

  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_reached(std::uint64_t serial) const noexcept {
    return value_.load(std::memory_order_acquire) >= serial;
  }
  /// True when a wait for `serial` would not block.
  [[nodiscard]] bool is_settled(std::uint64_t serial) const noexcept {
    return is_reached(serial) || failed_.load(std::memory_order_acquire);
  }
  /// The value; the error once the timeline has failed.
  [[nodiscard]] Result<std::uint64_t> reached() const {
    if (failed_.load(std::memory_order_acquire)) return Error(*error_);
    return value_.load(std::memory_order_acquire);
  }

  /// Raises the value and tells the waiters. A lower value changes nothing.
  void advance(std::uint64_t serial) noexcept {
    if (serial <= value_.load(std::memory_order_relaxed)) return;
    value_.store(serial);
    if (serial >= wake_at_.load()) wake();
  }

  /// Every wait for a serial that is not reached returns `error`. The first failure stays.
  void fail(Error error) noexcept {
    {
      const std::lock_guard lock(mutex_);
      if (error_) return;
      error_.emplace(std::move(error));
      failed_.store(true);
    }
    wake();
  }

  /// Sleeps until `serial` is reached. A reached serial is no error, even after a failure.
  [[nodiscard]] Result<void> wait(std::uint64_t serial, Deadline deadline) {
    if (is_reached(serial)) return {};
    std::unique_lock lock(mutex_);
    while (true) {
      lower_wake_at(serial);
      if (value_.load() >= serial) return {};
      if (error_) return Error(*error_);
      if (deadline == Deadline::max()) {
        woken_.wait(lock);
      } else if (Sync::now() < deadline) {
        woken_.wait_until(lock, deadline);
      } else {
        return late(serial);
      }
    }
  }

  /// Calls `notification` once: now if the serial is settled, otherwise from the thread that settles it.
  [[nodiscard]] Result<void> notify(std::uint64_t serial, backend::Notification notification) {
    auto* watch = new (std::nothrow) Watch;
    if (watch == nullptr) return Error(Errc::out_of_memory, "Memory for a notification is exhausted.");
    watch->serial = serial;
    watch->notification = notification;
    watch->owned = true;
    if (try_watch(*watch)) return {};
    delete watch;
    notification.call(notification.state);
    return {};
  }

  /// Registers `watch`. Where its serial is settled the answer is false, and the watch is not called.
  [[nodiscard]] bool try_watch(Watch& watch) noexcept {
    const std::lock_guard lock(mutex_);
    lower_wake_at(watch.serial);
    if (value_.load() >= watch.serial || error_) return false;
    insert(watch);
    return true;
  }

 private:
  static constexpr std::uint64_t nobody = std::numeric_limits<std::uint64_t>::max();

  void lower_wake_at(std::uint64_t serial) noexcept {
    if (serial < wake_at_.load(std::memory_order_relaxed)) wake_at_.store(serial);
  }

  /// Sorted by serial; watches of one serial stay in the order of registration. Serials mostly rise, so the end is
  /// tried first.
  void insert(Watch& watch) noexcept {
    Watch** place = &first_;
    if (last_ != nullptr && last_->serial <= watch.serial) place = &last_->next;
    while (*place != nullptr && (*place)->serial <= watch.serial) place = &(*place)->next;
    watch.next = *place;
    *place = &watch;
    if (watch.next == nullptr) last_ = &watch;
  }

  Watch* pop() noexcept {
    Watch* const watch = first_;
    if (watch == nullptr) return nullptr;
    first_ = watch->next;
    if (first_ == nullptr) last_ = nullptr;
    return watch;
  }

  /// Takes the first settled registration out of the list. Called under the mutex.
  Watch* pop_settled() noexcept {
    if (first_ == nullptr || (first_->serial > value_.load() && !error_)) return nullptr;
    return pop();
  }

  /// One thread at a time is here with something to tell: the one that advances, or the one that fails the timeline.
  void wake() noexcept {
    std::unique_lock lock(mutex_);
    wake_at_.store(nobody);  // sleepers that are not reached yet lower it again before they sleep
    lock.unlock();
    woken_.notify_all();
    lock.lock();
    while (Watch* const watch = pop_settled()) {
      const backend::Notification notification = watch->notification;
      if (watch->owned) delete watch;
      lock.unlock();
      notification.call(notification.state);  // a watch that is not owned may be gone from here on
      lock.lock();
    }
    if (first_ != nullptr) lower_wake_at(first_->serial);
  }

  [[nodiscard]] Error late(std::uint64_t serial) const {
    return {Errc::timeout, "Serial (" + std::to_string(serial) +
                               ") is not reached at the deadline; the timeline is at (" +
                               std::to_string(value_.load()) + ")."};
  }

  alignas(64) typename Sync::template Atomic<std::uint64_t> value_;
  typename Sync::template Atomic<std::uint64_t> wake_at_{nobody};
  typename Sync::template Atomic<bool> failed_{false};
  alignas(64) typename Sync::Mutex mutex_;
  typename Sync::Condition woken_;
  std::optional<Error> error_;
  Watch* first_ = nullptr;
  Watch* last_ = nullptr;
};

using HostTimeline = BasicHostTimeline<base::StdSync>;

}  // namespace pintle::kit
