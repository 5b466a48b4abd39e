// What stands behind a Signal and behind a queue's own timeline.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/inside.h"
#include "core/time/letting_go.h"
#include "core/time/observable.h"
#include "core/time/timeline.h"
#include "pintle/signal.h"

namespace pintle::core {

/// A submission, and its queue.
struct NativePoint {
  std::shared_ptr<Observable> queue;
  std::uint64_t serial = 0;
};

/// `serial` of `queue` raises a signal to `value` when it is reached. The promise is linked into the signal's list
/// between `SignalState::promise` and `forget`, so making and keeping a promise need no memory.
struct Promise {
  std::uint64_t value = 0;
  NativePoint point{};
  Promise* previous = nullptr;
  Promise* next = nullptr;
  bool is_linked = false;
  bool is_watched = false;  // a thread or backend observes it when it comes

  /// A backend has the submission, so it comes without anybody's help.
  [[nodiscard]] bool is_native() const noexcept { return point.queue->is_native(point.serial); }
};

/// A timeline and the submissions that will raise it. A point with a promise comes by itself; without a promise a
/// caller has yet to submit or set it. Several submissions, of several queues, may promise one signal. The first to
/// bring a point wins, and so does a caller that sets or fails the signal before.
class SignalState {
 public:
  /// A user's signal.
  SignalState(std::uint64_t initial, std::string label);
  /// The timeline of a queue: the serials of its submissions are its values.
  SignalState(std::weak_ptr<Observable> queue, std::uint64_t initial, std::string name);

  [[nodiscard]] Timeline& timeline() noexcept { return timeline_; }
  [[nodiscard]] const Timeline& timeline() const noexcept { return timeline_; }
  [[nodiscard]] static Point point(const std::shared_ptr<SignalState>& signal, std::uint64_t value) noexcept {
    return Inside::make<Point>(signal, value);
  }
  [[nodiscard]] bool belongs_to_queue() const noexcept { return belongs_to_queue_; }
  [[nodiscard]] LettingGo& letting_go() noexcept { return letting_go_; }
  /// Its name in messages: `[Signal 3 "ready"]`, `[Queue 2]`.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// The promise stays where it is until it is forgotten. It is made when the submission is accepted, and again when a
  /// backend has the submission. The second call returns true where a thread waits: the caller must
  /// then watch the submission.
  bool promise(Promise& promise) noexcept;
  /// Forgets a promise that has been kept or broken.
  void forget(Promise& promise) noexcept;
  /// The submission that will bring the timeline to `value` or beyond, if a backend has it and no other queue has
  /// promised as much; a held promise counts as well. A promise of `own` comes before all else of that queue, even
  /// where other queues have promised more.
  [[nodiscard]] std::optional<NativePoint> native_point(std::uint64_t value,
                                                        const Observable* own = nullptr) const noexcept;
  /// All submissions that will bring the timeline to `value`, held or not.
  [[nodiscard]] std::vector<NativePoint> promised(std::uint64_t value) const;

  /// Observes what devices have finished without being watched.
  void refresh();
  /// Runs driven devices that have promised `value`; nothing else would run them.
  void drive(std::uint64_t value);
  /// Makes sure that `value` is observed when it comes. Called after a waiter for it is linked.
  void watch(std::uint64_t value) noexcept;
  /// The failure, with the words of what was being waited for.
  [[nodiscard]] Error failure() const noexcept;
  /// The error of a wait for `value` that has passed its deadline.
  [[nodiscard]] Error timed_out(std::uint64_t value) const;

  Result<void> set(std::uint64_t value);
  Result<void> fail(Error error);
  Result<void> wait(std::uint64_t value, Deadline deadline);

 private:
  void link(Promise& promise) noexcept;
  [[nodiscard]] Result<void> park(std::uint64_t value, Deadline deadline);
  [[nodiscard]] Result<void> wait_for(Observable& queue, std::uint64_t serial, std::uint64_t value, Deadline deadline);
  [[nodiscard]] std::optional<NativePoint> next_unwatched(std::uint64_t value) noexcept;
  [[nodiscard]] std::vector<std::shared_ptr<Observable>> promising() const;

  Timeline timeline_;
  LettingGo letting_go_;
  bool belongs_to_queue_;
  std::weak_ptr<Observable> queue_;
  std::string text_;
  mutable std::mutex promises_mutex_;  // a leaf: nothing is locked while it is held
  Promise* promises_ = nullptr;
};

}  // namespace pintle::core
