// What stands behind a Queue: submissions in order, held until they can start and kept until they are finished.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/buffers/buffer_table.h"
#include "core/queue/driving.h"
#include "core/queue/flights.h"
#include "core/queue/preparation.h"
#include "core/time/observable.h"
#include "pintle/backend/driver.h"
#include "pintle/queue.h"

namespace pintle::core {

class QueueState;
class RecordingState;

using QueueList = std::list<std::shared_ptr<QueueState>>;

/// What the caller of a submission does next.
enum class Caller : std::uint8_t { goes_on, waits };

/// What is submitted under one serial: a list or a replay.
struct Part {
  CommandList* list = nullptr;
  RecordingState* recording = nullptr;
  std::span<const SlotValue> bindings{};
  bool borrows = false;              ///< The list keeps loans of other devices' bytes.
  SubmitOptions* options = nullptr;  ///< Their contents are moved out. Null: none.
  Caller caller = Caller::goes_on;   ///< One that waits observes the end itself, or calls `look_after`.
};

/// Submissions are numbered by serials that rise by one; a serial is also the value of the queue's timeline.
/// They lie in one ring: [finished | native: the backend has them | held: they wait for points that no backend can wait
/// for]. A backend never gets a wait whose signal it has not seen.
///
/// A submission is prepared under the lock and counted. It is started without the lock, in the device's turn:
/// `starting_` is then the serial that the backend is being given. A thread that drops submissions meanwhile leaves
/// that one alone.
class QueueState final : public Observable, public Deferred, public Driven {
 public:
  QueueState(std::shared_ptr<BufferTable> table, backend::QueueId id, QueueKind kind, std::uint64_t first_serial,
             std::string text);
  /// Called after construction, since the timeline needs the shared pointer, and before the first use.
  void begin(const Locked& locked);
  /// From now on no stamp of this queue means anything.
  void end(const Locked& locked) noexcept { table_->clocks(locked).remove(number_); }

  [[nodiscard]] const std::string& text() const noexcept override { return text_; }
  [[nodiscard]] BufferTable& table() const noexcept { return *table_; }
  [[nodiscard]] Life& life() const noexcept { return table_->life(); }
  [[nodiscard]] backend::QueueId id() const noexcept { return clock_.queue; }
  /// Unique in the device's life; stamps carry it.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// Asks the backend how far the queue is. The backend may deliver downloads then.
  Result<void> ask();
  [[nodiscard]] const std::shared_ptr<SignalState>& timeline() const noexcept { return timeline_; }
  [[nodiscard]] bool launches() const noexcept { return kind_ == QueueKind::compute; }

  // These take the lock.
  /// Submits all parts or none, in order. The point is the last part's.
  Result<Point> submit(std::span<Part> parts);
  Result<Point> submit(CommandList&& list, SubmitOptions* options, Caller caller = Caller::goes_on);
  Result<Point> replay(RecordingState& recording, std::span<const SlotValue> bindings, SubmitOptions* options);
  /// The reason to refuse a list: another device, a destroyed or sealed buffer, a queue that has failed.
  Result<void> check(const BufferView& view, Access access);
  /// Success while the queue takes submissions.
  Result<void> check_open();
  /// The reason to refuse these options.
  Result<void> check(const SubmitOptions& options) const;
  /// Has the end of `serial` observed soon, though nobody asks.
  void look_after(std::uint64_t serial) noexcept;
  /// Counts the submissions so far as a use of the buffer.
  Result<void> touch(std::uint64_t buffer);
  [[nodiscard]] Point last();
  /// Waits for the work that the backend has, also on a queue that has failed; false when the backend has none.
  Result<bool> wait_rest(Deadline deadline) override;
  /// Whether the backend has work that is not finished.
  [[nodiscard]] bool has_rest();
  /// Adds the points that the first held submission waits for; false where none is held.
  bool add_first_held(std::vector<Point>& points);
  /// Waits for these points, after which the first held submission has started or failed. False where no time is left.
  bool wait_held(const std::vector<Point>& points, Deadline deadline);

  Result<void> observe(Worklist& worklist) override;
  void looked_after() noexcept override;
  Result<void> wait_native(std::uint64_t serial, Deadline deadline) override;
  Result<void> notify(std::uint64_t serial, backend::Notification notification) override;
  void drive() override {
    if (is_driven()) core::drive(std::static_pointer_cast<QueueState>(shared_from_this()));
  }
  void report(const Error& error) noexcept override { static_cast<void>(life().report(error)); }
  void suspect() noexcept override;
  /// Has the device asked whether it answers, once `patience` has passed in which nothing more of this queue is
  /// finished. One such look at a time, whatever the queue.
  void suspect_after(Duration patience) noexcept;
  bool add_waits(std::uint64_t serial, std::vector<Point>& points) override;
  [[nodiscard]] std::string describe_oldest() override;
  /// Puts the queue on the worklist: it is looked at again when no lock is held.
  void look_again(Worklist& worklist) noexcept {
    worklist.add(std::static_pointer_cast<QueueState>(shared_from_this()));
  }

  // These functions take only leaf locks.
  [[nodiscard]] bool is_native(std::uint64_t serial) const noexcept override { return serial <= clock_.native.load(); }
  [[nodiscard]] bool is_driven() const noexcept override { return life().is_driven(); }
  void watch(std::uint64_t serial) noexcept override;

  // With the lock held:
  [[nodiscard]] bool is_idle(const Locked&) const noexcept { return clock_.reached == clock_.last; }
  /// Has the queue observed soon after `serial` is reached, as far as the backend has the work up to there.
  void owe(std::uint64_t serial, const Locked&) noexcept;
  /// Has the queue end, once, where it has neither a handle nor work.
  void go_if_over(Worklist& worklist, const Locked& locked) noexcept;
  [[nodiscard]] const QueueClock& clock(const Locked&) const noexcept { return clock_; }
  /// Notes that the user's handle has gone. The queue goes when it is idle. Returns a native serial that must be
  /// watched then; 0: none.
  [[nodiscard]] std::uint64_t abandon(const Locked&) noexcept;
  [[nodiscard]] bool is_abandoned(const Locked&) const noexcept { return abandoned_; }
  [[nodiscard]] bool has_held(const Locked&) const noexcept { return clock_.native.load() != clock_.last; }
  /// The queue's place in a list of its device.
  void set_place(QueueList::iterator place, const Locked&) noexcept { place_ = place; }
  [[nodiscard]] QueueList::iterator place(const Locked&) const noexcept { return place_; }
  /// Ends all calls of the backend with this queue. False while a call is running; the caller tries again.
  [[nodiscard]] bool try_end_calls(const Locked&) noexcept {
    ended_ = true;
    return calls_ == 0 && starting_ == 0;
  }
  /// Fails and drops everything that is not finished.
  void lose(const Error& error, Worklist& worklist, const Locked& locked) noexcept;
  /// Gives up the submissions that no backend has yet.
  void cancel_held(const Error& error, Worklist& worklist, const Locked& locked) noexcept;

 private:
  [[nodiscard]] std::uint64_t oldest_native() noexcept;
  static void settle_suspicion(const std::shared_ptr<Life>& life, const std::shared_ptr<QueueState>& queue,
                               std::uint64_t serial) noexcept;
  [[nodiscard]] std::string describe_oldest(std::vector<Point>& waits);
  /// A call of the backend with this queue, made without the lock. The backend's queue is destroyed only when no call
  /// is running. A thread that calls counts itself, and then asks whether calls have ended. A thread that ends calls
  /// says so, and then looks at the count.
  class Call {
   public:
    explicit Call(QueueState& queue) noexcept : queue_(queue) { ++queue_.calls_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
      --queue_.calls_;
      if (queue_.ended_) queue_.dispose_ended();
    }
    /// False when there is nothing left to ask: an ended queue has reached all its serials.
    [[nodiscard]] bool is_allowed() const noexcept { return !queue_.ended_; }

   private:
    QueueState& queue_;
  };
  /// Fails held submissions. A failure needs no turn, unlike a start, so the thread that fails a signal does it itself
  /// and finds the queue failed afterwards.
  class Failing final : public Deferred {
   public:
    explicit Failing(QueueState& queue) noexcept : queue_(queue) {}

   private:
    void run_deferred(Worklist& worklist) noexcept override { queue_.fail_held(worklist); }

    QueueState& queue_;
  };
  /// Work left for the time when no lock is held.
  struct Aftermath {
    Worklist worklist{};
    std::vector<Point> awaited{};  // by held submissions: to be watched
    std::uint64_t started = 0;     // a thread waits for it: to be watched
  };

  void run_deferred(Worklist& worklist) noexcept override;
  /// Observes, within a `Call` that is allowed.
  Result<void> observe_called(Worklist& worklist);
  Result<void> observe_before(std::vector<std::shared_ptr<QueueState>>& before);
  void add_before(std::uint64_t reached, std::vector<std::shared_ptr<QueueState>>& before, const Locked& locked);
  void add_before(const Stamp& stamp, std::vector<std::shared_ptr<QueueState>>& before, const Locked& locked);
  [[nodiscard]] bool try_add_before(std::uint64_t reached, std::vector<std::shared_ptr<QueueState>>& before,
                                    const Locked& locked) noexcept;
  void finish_up_to(std::uint64_t reached, Worklist& worklist, const Locked& locked) noexcept;
  void finish(Flight& flight, Worklist& worklist, const Locked& locked) noexcept;
  [[nodiscard]] std::optional<Error> verdict_on(std::uint64_t serial) noexcept;
  void forget_watched() noexcept;
  void dispose_ended() noexcept;

  // Submitting.
  Result<Point> try_to_submit(std::span<Part> parts);
  Result<void> give_memory(const Part& part);
  Result<Point> attempt(std::span<Part> parts, Aftermath& aftermath, bool& lacks_room);
  void see_to(Aftermath& aftermath);
  Result<void> make_room(std::size_t count, const Timeout& timeout, std::optional<Deadline>& deadline);
  Result<void> prepare(std::span<Part> parts, Aftermath& aftermath, const Locked& locked);
  Result<void> fill(Flight& flight, Part& part, const Locked& locked);
  Result<void> check_list(const ListState& list) const;
  Result<void> check_recording(const RecordingState& recording) const;
  void adopt(Flight& flight, SubmitOptions& options);
  void withdraw(std::uint64_t first, std::size_t count, Aftermath& aftermath, const Locked& locked) noexcept;
  [[nodiscard]] bool is_full(std::size_t count) const noexcept;
  [[nodiscard]] bool takes_more(std::size_t count, const Locked&) const noexcept;
  [[nodiscard]] Error refusal() const;
  [[nodiscard]] Error launch_refusal() const;
  [[nodiscard]] std::string place() const;
  Result<Point> accept(std::uint64_t first, std::size_t count, Locked& locked, Aftermath& aftermath);
  void look_after_pieces(std::uint64_t first, std::size_t count, Aftermath& aftermath, const Locked& locked) noexcept;
  Result<void> hold(Flight& flight, Aftermath& aftermath);
  Result<void> hold_again(Flight& flight, Aftermath& aftermath);
  Result<void> hold_for(Flight& flight, const Point& point, Aftermath& aftermath);
  static void drop_open_hold(Flight& flight) noexcept;
  [[nodiscard]] QueueState* sibling_of(const NativePoint& point) const noexcept;
  Result<void> collect_waits(const Flight& flight, const Locked& locked);
  Result<void> start(Flight& flight, Locked& locked, Aftermath& aftermath, bool is_simple);
  [[nodiscard]] static Error wrong_serial(std::uint64_t answered, std::uint64_t expected);
  void publish(std::uint64_t serial, Aftermath& aftermath) noexcept;
  void keep_promises(Flight& flight, Aftermath& aftermath, const Locked&) noexcept;
  bool pump_one(Aftermath& aftermath, Worklist& worklist);
  /// Fails the first held submission whose wait has failed, and all after it.
  void fail_held(Worklist& worklist) noexcept;

  void fail_from(std::uint64_t serial, const Error& error, Worklist& worklist, const Locked& locked) noexcept;
  void fail_points(std::uint64_t serial, const Error& error, Worklist& worklist) noexcept;
  static void clear(Flight& flight, Worklist& worklist) noexcept;
  [[nodiscard]] Flight& flight(std::uint64_t serial) noexcept { return flights_[serial]; }
  [[nodiscard]] std::uint64_t in_flight() const noexcept { return clock_.last - clock_.reached; }
  /// The backend has the serials up to here, or is about to get them.
  [[nodiscard]] std::uint64_t undroppable() const noexcept {
    const std::uint64_t starting = starting_.load(std::memory_order_acquire);
    return starting != 0 ? starting : clock_.native.load(std::memory_order_relaxed);
  }

  std::shared_ptr<BufferTable> table_;
  QueueKind kind_;
  std::string text_;
  std::uint64_t number_ = 0;
  std::shared_ptr<SignalState> timeline_;
  QueueClock clock_;
  Failing failing_{*this};
  Preparation preparation_;                        // used by the thread that has the turn
  std::optional<Error> failed_;                    // the first failure after acceptance: the queue takes nothing more
  std::vector<backend::QueuePoint> native_waits_;  // of the submission that is being started, in the device's turn
  std::vector<Stamp> native_edges_;                // as core names them
  std::atomic<std::uint64_t> starting_{0};         // the serial that the backend is being given; 0: none
  const bool has_verdicts_;                        // the device may tell that a submission has failed, and go on
  std::uint64_t newest_;                           // the last serial that a caller got a point for
  QueueList::iterator place_{};
  bool abandoned_ = false;
  bool is_over_ = false;          // it has neither a handle nor work, and the device's queues know
  std::uint64_t owed_ = 0;        // something of a caller's goes when this serial is reached
  bool is_looked_after_ = false;  // the reactor observes the queue in rounds
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<bool> ended_{false};
  std::mutex watch_mutex_;                // a leaf
  std::vector<std::uint64_t> watched_;    // serials whose completion a backend or thread was asked to tell
  std::atomic<bool> is_watching_{false};  // false: `watched_` holds nothing that must be forgotten
  Flights flights_;
};

}  // namespace pintle::core
