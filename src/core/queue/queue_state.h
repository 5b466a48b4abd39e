// What stands behind a Queue: submissions in order, held until they can start, kept until they are finished.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "core/queue/flight.h"
#include "core/time/signal_state.h"
#include "pintle/backend/driver.h"
#include "pintle/queue.h"

namespace pintle::core {

class Crossings;
class RecordingState;

/// Submissions are numbered by serials that rise by one; a serial is also the value of the queue's timeline.
/// They lie in one ring: [finished | native: the backend has them | held: they wait for points that no backend can wait
/// for]. The incarnation's mutex guards everything here but the timeline. A backend never gets a wait whose signal it
/// has not seen.
class QueueState : public std::enable_shared_from_this<QueueState> {
 public:
  QueueState(std::shared_ptr<Incarnation> incarnation, backend::QueueId id, std::uint64_t number, QueueKind kind,
             std::uint64_t first_serial, std::string text);
  /// Follows construction, since the timeline needs the shared pointer.
  void create_timeline();

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] Incarnation& incarnation() const noexcept { return *incarnation_; }
  [[nodiscard]] backend::QueueId id() const noexcept { return id_; }
  /// Unique in the incarnation: what stamps carry.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] const std::shared_ptr<SignalState>& timeline() const noexcept { return timeline_; }

  // Options are taken apart; null is none.
  Result<Point> submit(CommandList&& list, SubmitOptions* options);
  Result<Point> replay(RecordingState& recording, std::span<const SlotValue> bindings, SubmitOptions* options);
  /// Gives a buffer bytes of its own; the point is when it has them.
  Result<Point> unshare(std::uint64_t buffer);
  /// What was submitted so far counts as a use of the buffer.
  void touch(std::uint64_t buffer);
  [[nodiscard]] Point last();

  [[nodiscard]] bool launches() const noexcept { return kind_ == QueueKind::compute; }
  /// Of a launch on a copy queue.
  [[nodiscard]] Error launch_refusal() const;

  // These take the lock.
  /// Starts every held submission that has become ready; fails those whose waits failed.
  void pump(Worklist& worklist);
  /// Reads what the backend has reached, finishes those submissions and raises what they signal. Never blocks.
  Result<void> observe(Worklist& worklist);
  /// Waits in the backend for a native serial, then observes.
  Result<void> wait_native(std::uint64_t serial, Deadline deadline);
  /// Waits for what the backend has, also of a queue that has failed; false when it has nothing.
  Result<bool> wait_rest(Deadline deadline);
  /// What stands in the way, for a timeout's words: the oldest unfinished submission.
  [[nodiscard]] std::string describe_oldest();

  // These take no lock but leaves.
  /// The serial as a point that the backend can wait for, once it is native.
  [[nodiscard]] std::optional<NativePoint> native_point(std::uint64_t serial);
  /// Has somebody observe `serial` when it is reached. A serial that is not native yet is watched when it is.
  void watch(std::uint64_t serial);

  // These want the lock held.
  /// What a use with this serial stands for. One beyond the last is the mark of a submission that was refused, which
  /// nobody is to wait for; it has hidden an earlier one, which may still run.
  [[nodiscard]] std::uint64_t accepted(std::uint64_t serial) const noexcept { return std::min(serial, last_); }
  [[nodiscard]] bool is_finished(std::uint64_t serial) const noexcept { return accepted(serial) <= reached_; }
  [[nodiscard]] bool is_idle() const noexcept { return reached_ == last_; }
  [[nodiscard]] std::uint64_t last_serial() const noexcept { return last_; }
  /// The highest serial that a backend has and that is not finished; empty when there is none.
  [[nodiscard]] std::optional<std::uint64_t> unfinished_native() const noexcept {
    const std::uint64_t native = native_.load(std::memory_order_relaxed);
    return native > reached_ ? std::optional(native) : std::nullopt;
  }
  /// The user's handle is gone; the incarnation drops the queue when it is idle.
  void abandon() noexcept { abandoned_ = true; }
  [[nodiscard]] bool is_abandoned() const noexcept { return abandoned_; }
  /// Ends all calls of the backend with this queue. False while one is running; try again.
  [[nodiscard]] bool try_end_calls() noexcept {
    ended_ = true;
    return calls_ == 0;
  }
  /// Fails and drops everything that is not finished.
  void lose(const Error& error, Worklist& worklist) noexcept;
  /// Gives up what no backend has yet.
  void cancel_held(const Error& error, Worklist& worklist) noexcept;

 private:
  friend class Crossings;

  /// A call of the backend with this queue, made without the lock. The backend's queue is destroyed only when none is
  /// running: who calls counts itself and then asks whether calls have ended; who ends them says so and then looks at
  /// the count.
  class Call {
   public:
    explicit Call(QueueState& queue) noexcept : queue_(queue) { ++queue_.calls_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { --queue_.calls_; }
    /// False when there is nothing left to ask: an ended queue has reached all it was given.
    [[nodiscard]] bool is_allowed() const noexcept { return !queue_.ended_; }

   private:
    QueueState& queue_;
  };

  Result<void> observe_native(Worklist& worklist);
  void forget_watched();
  void dispose_if_ended(Worklist& worklist);
  Result<void> check(const SubmitOptions& options) const;
  template <class Fill>
  Result<Point> take(SubmitOptions* options, Fill fill);
  Result<void> make_room(std::unique_lock<base::Mutex>& lock, const Timeout& timeout);
  [[nodiscard]] bool is_full() const noexcept;
  [[nodiscard]] bool takes_more() const noexcept;
  [[nodiscard]] Error refusal() const;
  [[nodiscard]] std::string place() const;
  static void put_copies_first(Flight& flight);
  static void adopt(Flight& flight, SubmitOptions& options);
  [[nodiscard]] Point count(const Flight& flight) noexcept;
  Result<Point> accept(Flight& flight, Worklist& worklist);
  Result<Point> accept_waiting(Flight& flight, Worklist& worklist);
  Result<void> hold(Flight& flight);
  class NativeWaits;
  Result<void> collect(const Flight& flight, NativeWaits& waits);
  Result<void> start_waiting(Flight& flight, Worklist& worklist);
  Result<void> start(Flight& flight, std::span<const backend::QueuePoint> waits, Worklist& worklist);
  void pump_ready(Worklist& worklist);
  void fail_from(std::uint64_t serial, const Error& error, Worklist& worklist) noexcept;
  void fail_points(std::uint64_t serial, const Error& error, Worklist& worklist) noexcept;
  void finish(Flight& flight, Worklist& worklist);
  static void clear(Flight& flight, Worklist& worklist);
  /// The place of the next submission, or what it had to wait for.
  [[nodiscard]] Flight& next_flight();
  [[nodiscard]] Flight& flight(std::uint64_t serial) noexcept { return ring_[serial & ring_mask_]; }
  [[nodiscard]] std::uint64_t in_flight() const noexcept { return last_ - reached_; }

  std::shared_ptr<Incarnation> incarnation_;
  backend::QueueId id_;
  std::uint64_t number_;
  QueueKind kind_;
  std::string text_;
  std::shared_ptr<SignalState> timeline_;
  std::optional<Error> failed_;        // the first failure after acceptance: the queue takes nothing more
  std::uint64_t reached_;              // serials up to here are finished
  std::atomic<std::uint64_t> native_;  // serials up to here are the backend's; written under the lock, read anywhere
  std::uint64_t last_;                 // serials up to here are accepted, and not dropped
  std::uint64_t newest_;               // the last serial that a caller got a point for
  bool abandoned_ = false;
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<bool> ended_{false};
  std::mutex watch_mutex_;                // a leaf
  std::vector<std::uint64_t> watched_;    // serials whose completion somebody has been asked to tell
  std::atomic<bool> is_watching_{false};  // false: nothing there to forget, as far as it matters
  std::vector<Flight> ring_;              // a power of two; serial s lies at s mod size
  std::uint64_t ring_mask_;
};

}  // namespace pintle::core
