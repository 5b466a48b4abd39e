// What stands behind a Signal and behind a queue's own timeline.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/time/timeline.h"
#include "pintle/signal.h"

namespace pintle::core {

class Incarnation;
class QueueState;

/// A submission that a backend has accepted.
struct NativePoint {
  std::shared_ptr<QueueState> queue;
  std::uint64_t serial = 0;
};

/// A timeline and the submissions that will raise it. A point with a promise can be waited for natively; without one
/// somebody has yet to submit or set it.
class SignalState {
 public:
  /// A user's signal.
  SignalState(std::uint64_t initial, std::string label);
  /// The timeline of a queue: the serials of its submissions are its values.
  SignalState(std::weak_ptr<QueueState> queue, std::uint64_t initial, std::string name);

  [[nodiscard]] Timeline& timeline() noexcept { return timeline_; }
  [[nodiscard]] const Timeline& timeline() const noexcept { return timeline_; }
  [[nodiscard]] static Point point(const std::shared_ptr<SignalState>& signal, std::uint64_t value) noexcept {
    return {signal, value};
  }
  [[nodiscard]] bool belongs_to_queue() const noexcept { return belongs_to_queue_; }
  /// The queue whose timeline this is; null for a user's signal and once the queue is gone.
  [[nodiscard]] std::shared_ptr<QueueState> queue() const noexcept { return queue_.lock(); }
  /// As it appears in messages: `[Signal 3 "ready"]`, `[Queue 2]`.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// From now on `serial` of `queue` raises the signal to `value` when it is reached. Then whoever waits is watched
  /// for.
  void promise(std::uint64_t value, std::shared_ptr<QueueState> queue, std::uint64_t serial);
  /// The promise has been kept or broken.
  void forget_promise(const QueueState* queue, std::uint64_t serial) noexcept;
  /// The submission that will bring the timeline to `value` or beyond, if a backend has it already.
  [[nodiscard]] std::optional<NativePoint> native_point(std::uint64_t value) const;

  /// Counts in what devices have finished without being watched.
  void refresh();
  /// Sees to it that somebody observes `value` when it comes. Call after linking a waiter for it.
  void watch(std::uint64_t value);
  /// The failure, with what was being waited for.
  [[nodiscard]] Error failure() const;
  /// The words of a wait for `value` that passed its deadline.
  [[nodiscard]] Error timed_out(std::uint64_t value) const;

  Result<void> set(std::uint64_t value);
  Result<void> fail(Error error);
  Result<void> wait(std::uint64_t value, Deadline deadline);

 private:
  struct Promise {
    std::uint64_t value;
    NativePoint point;
  };

  [[nodiscard]] Result<void> park(std::uint64_t value, Deadline deadline);

  Timeline timeline_;
  bool belongs_to_queue_;
  std::weak_ptr<QueueState> queue_;
  std::string text_;
  mutable std::mutex promises_mutex_;  // a leaf: nothing is locked while it is held
  std::vector<Promise> promises_;
};

}  // namespace pintle::core
