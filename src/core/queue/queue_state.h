// What stands behind a Queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/queue/submitter.h"

namespace pintle::core {

class QueueState;

using QueueList = std::list<std::shared_ptr<QueueState>>;

/// A queue as a whole: submissions are accepted (`Submitter`), started or held (`Starter`), and finished (`Observer`).
/// Between acceptance and end they are `InFlight`.
class QueueState final : public Observer {
 public:
  QueueState(std::shared_ptr<BufferTable> table, backend::QueueId id, QueueKind kind, std::uint64_t first_serial,
             std::string text)
      : Observer(std::move(table), id, first_serial, std::move(text)), submitter_(*this, starter_, kind) {}

  // These take the lock.
  Result<std::uint64_t> submit(std::span<Part> parts) { return submitter_.submit(parts); }
  Result<std::uint64_t> submit(CommandList&& list, SubmitOptions* options, Caller caller = Caller::goes_on) {
    Part part{.list = &list, .options = options, .caller = caller};
    return submitter_.submit({&part, 1});
  }
  Result<std::uint64_t> replay(RecordingState& recording, std::span<const SlotValue> bindings, SubmitOptions* options) {
    Part part{.recording = &recording, .bindings = bindings, .options = options};
    return submitter_.submit({&part, 1});
  }
  /// Success while the queue takes submissions.
  Result<void> check_open() { return submitter_.check_open(); }
  /// The reason to refuse a list: another device, a destroyed or sealed buffer, a queue that has failed.
  Result<void> check(const BufferView& view, Access access);
  /// Counts the submissions so far as a use of the buffer.
  Result<void> touch(std::uint64_t buffer);
  /// The last point that a caller got.
  [[nodiscard]] Point last() { return submitter_.last(); }
  /// Has the end of `serial` observed soon, though nobody asks.
  void look_after(std::uint64_t serial) noexcept { owe(serial, life().lock()); }
  /// Adds the points that the first held submission waits for; false where none is held.
  bool add_first_held(std::vector<Point>& points);
  /// Waits for these points, after which the first held submission has started or failed. False where no time is left.
  bool wait_held(const std::vector<Point>& points, Deadline deadline);
  bool add_waits(std::uint64_t serial, std::vector<Point>& points) override;
  [[nodiscard]] std::string describe_oldest() override;
  /// Runs the work of a queue whose work runs only inside calls, and of other such queues that this releases. On a
  /// thread that drives already, the queue comes after the present one, so a kernel or host call that submits does not
  /// recurse.
  void drive() override {
    if (is_driven()) drive_all();
  }
  void suspect() noexcept override;
  /// Has the device asked whether it answers, once `patience` has passed in which nothing more of this queue is
  /// finished. One such look at a time, whatever the queue.
  void suspect_after(Duration patience) noexcept;

  // With the lock held:
  /// Where the queue is in a list of its device.
  struct Place {
    QueueList::iterator at{};
    std::uint64_t order = 0;  ///< The order of creation.
    bool is_mover = false;    ///< It has work of the library's own.
  };
  [[nodiscard]] Place& place(const Locked&) noexcept { return place_; }

 private:
  friend class Driving;

  [[nodiscard]] std::string describe_oldest(std::vector<Point>& waits);
  void drive_all() noexcept;
  /// The oldest serial that the backend has and has not finished, as far as anybody has looked; 0: there is none.
  [[nodiscard]] std::uint64_t oldest_native() noexcept {
    const Locked locked = life().lock();
    return flights().has_native() ? flights().reached() + 1 : 0;
  }

  Starter starter_{*this};
  Submitter submitter_;
  Place place_;
  std::atomic<bool> is_to_be_driven_{false};
  std::shared_ptr<QueueState> next_driven_;  // written by the thread that is to drive this queue
};

}  // namespace pintle::core
