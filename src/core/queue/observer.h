// What a queue's backend has reached, and what follows from it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/buffers/buffer_table.h"
#include "core/queue/in_flight.h"
#include "core/time/observable.h"
#include "kit/verdict.h"
#include "pintle/backend/driver.h"

namespace pintle::core {

/// A queue after its submissions have been accepted: it finishes those that the backend has done, fails those that
/// cannot be done, and ends when it has neither a handle nor work.
class Observer : public Observable {
 public:
  Observer(std::shared_ptr<BufferTable> table, backend::QueueId id, std::uint64_t first_serial, std::string text);
  /// Called after construction, since the timeline needs the shared pointer, and before the first use.
  void begin(const Locked& locked);

  [[nodiscard]] const std::string& text() const noexcept override { return text_; }
  [[nodiscard]] BufferTable& table() const noexcept { return *table_; }
  [[nodiscard]] Life& life() const noexcept { return table_->life(); }
  [[nodiscard]] backend::QueueId id() const noexcept { return id_; }
  /// Unique in the device's life; stamps carry it. 0 before `begin`.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  [[nodiscard]] const std::shared_ptr<SignalState>& timeline() const noexcept { return timeline_; }
  /// The device's lock guards them.
  [[nodiscard]] InFlight& flights() noexcept { return flights_; }
  /// The queue of a point, where it belongs to this device.
  [[nodiscard]] Observer* sibling_of(const NativePoint& point) const noexcept;

  // These functions take the lock.
  Result<void> observe(Worklist& worklist) override;
  /// Asks the backend how far the queue is; 0 once the queue has ended. The backend may deliver downloads then.
  Result<std::uint64_t> ask();
  Result<void> wait_native(std::uint64_t serial, Deadline deadline) override;
  /// Waits for the work that the backend has, also on a queue that has failed; false when the backend has none.
  Result<bool> wait_rest(Deadline deadline);

  // These functions take only leaf locks.
  [[nodiscard]] bool is_native(std::uint64_t serial) const noexcept override { return serial <= flights_.native(); }
  [[nodiscard]] bool is_driven() const noexcept override { return life().is_driven(); }
  void watch(std::uint64_t serial) noexcept override;

  // With the lock held:
  /// The first failure after acceptance: the queue takes nothing more.
  [[nodiscard]] const std::optional<Error>& failure(const Locked&) const noexcept { return failed_; }
  /// Every submission from `serial` on fails. Those that no backend has are dropped.
  void fail_from(std::uint64_t serial, const Error& error, Worklist& worklist, const Locked& locked) noexcept;
  /// Gives up the submissions that no backend has yet. The caller disposes of what has become free, once for all
  /// queues.
  void cancel_held(const Error& error, Worklist& worklist, const Locked& locked) noexcept;
  /// Fails and drops everything that is not finished.
  void lose(const Error& error, Worklist& worklist, const Locked& locked) noexcept;
  /// Has the queue observed soon after `serial` is reached, as far as the backend has the work up to there, or is being
  /// given it.
  void owe(std::uint64_t serial, const Locked&) noexcept;
  /// Notes that the user's handle has gone. The queue goes when it is idle. Returns a native serial that must be
  /// watched then; 0: none.
  [[nodiscard]] std::uint64_t abandon(const Locked&) noexcept;
  /// The queue has a handle again.
  void take_up(const Locked&) noexcept { abandoned_ = false; }
  [[nodiscard]] bool is_abandoned(const Locked&) const noexcept { return abandoned_; }
  /// The submission comes after work of other queues: they are observed before it is finished.
  void note_bound(std::uint64_t serial, const Locked&) noexcept { last_bound_ = std::max(last_bound_, serial); }
  [[nodiscard]] bool is_over(const Locked&) const noexcept { return is_over_; }
  /// Has the queue end, once, where it has neither a handle nor work.
  void go_if_over(Worklist& worklist, const Locked& locked) noexcept;
  /// Ends all calls of the backend with this queue. False while a call is running; the caller tries again.
  [[nodiscard]] bool try_end_calls(const Locked&) noexcept {
    ended_ = true;
    return calls_ == 0 && flights_.is_quiet();
  }

 protected:
  ~Observer() override = default;

 private:
  // For the reactor and its watchers, which know a queue as an `Observable`.
  [[nodiscard]] const void* device() const noexcept override { return &life(); }
  Result<void> notify(std::uint64_t serial, backend::Notification notification) override;
  void looked_after() noexcept override;
  void report(const Error& error) noexcept override { static_cast<void>(life().report(error)); }

  using Others = std::vector<std::shared_ptr<Observer>>;

  /// A call of the backend with this queue, made without the lock. The backend's queue is destroyed only when no call
  /// is running. A thread that calls counts itself, and then asks whether calls have ended. A thread that ends calls
  /// says so, and then looks at the count.
  class Call {
   public:
    explicit Call(Observer& queue) noexcept : queue_(queue) { ++queue_.calls_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
      --queue_.calls_;
      if (queue_.ended_) queue_.dispose_ended();
    }
    /// False when there is nothing left to ask: an ended queue has reached all its serials.
    [[nodiscard]] bool is_allowed() const noexcept { return !queue_.ended_; }

   private:
    Observer& queue_;
  };

  /// Observes, within a `Call` that is allowed.
  Result<void> observe_called(Worklist& worklist);
  Result<void> observe_before(Others& before);
  void add_before(const Stamp& stamp, Others& before, const Locked& locked);
  [[nodiscard]] bool try_add_before(std::uint64_t reached, Others& before, const Locked& locked) noexcept;
  /// Finishes what the backend has reached and no other thread has finished.
  void finish_up_to(std::uint64_t reached, Worklist& worklist, const Locked& locked) noexcept;
  void finish(Flight& flight, Worklist& worklist, const Locked& locked) noexcept;
  [[nodiscard]] std::optional<Error> verdict_on(std::uint64_t serial) noexcept;
  void forget_watched() noexcept;
  void dispose_ended() noexcept;
  void drop_from(std::uint64_t serial, const Error& error, Worklist& worklist, const Locked& locked) noexcept;
  void fail_points(std::uint64_t serial, const Error& error, Worklist& worklist) noexcept;

  std::shared_ptr<BufferTable> table_;
  backend::QueueId id_;
  std::string text_;
  std::uint64_t number_ = 0;
  std::shared_ptr<SignalState> timeline_;
  const kit::Verdicts verdicts_;  // the device may tell that a submission has failed, and go on
  std::optional<Error> failed_;
  bool abandoned_ = false;
  bool is_over_ = false;          // it has neither a handle nor work, and the device's queues know
  std::uint64_t last_bound_ = 0;  // no later submission comes after work of other queues
  std::uint64_t owed_ = 0;        // something of a caller's goes when this serial is reached
  bool is_looked_after_ = false;  // the reactor observes the queue in rounds
  std::atomic<std::uint32_t> calls_{0};
  std::atomic<bool> ended_{false};
  std::mutex watch_mutex_;                // a leaf
  std::vector<std::uint64_t> watched_;    // serials whose completion a backend or thread was asked to tell
  std::atomic<bool> is_watching_{false};  // false: `watched_` holds nothing that must be forgotten
  InFlight flights_;
};

}  // namespace pintle::core
