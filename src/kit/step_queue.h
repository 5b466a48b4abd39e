// Submissions with steps that only the host can take (a host call, a grid read back), for APIs that run no host code.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "kit/host_order.h"
#include "pintle/backend/driver.h"

namespace pintle::kit {

/// What the queues of one device share: the serials that have been started, and the host memory that is still written.
/// Nothing is started behind a wait whose signal the API has not seen. Outlives the queues. Thread-safe.
class StepQueues {
 public:
  /// True when every wait is for a serial that the API has seen.
  [[nodiscard]] bool are_started(std::span<const backend::QueuePoint> waits);
  /// The last serial of each queue that has been started, or is held and will be.
  [[nodiscard]] std::vector<backend::QueuePoint> accepted();

 private:
  friend class StepQueue;
  struct Line {
    Line(backend::QueueId of, std::uint64_t serial) noexcept : queue(of), started(serial), accepted(serial) {}

    const backend::QueueId queue;
    std::atomic<std::uint64_t> started;
    std::atomic<std::uint64_t> accepted;
  };

  [[nodiscard]] Line& add(backend::QueueId queue, std::uint64_t serial);
  void remove(const Line& line) noexcept;
  void raise(Line& line, std::uint64_t serial) noexcept;
  void wake() noexcept;
  /// Returns true when `are_started` is true, and false when `stopping` is set and `wake` was called.
  [[nodiscard]] bool await_started(std::span<const backend::QueuePoint> waits, const std::atomic<bool>& stopping);
  [[nodiscard]] bool are_started_locked(std::span<const backend::QueuePoint> waits) const noexcept;

  std::mutex mutex_;
  std::condition_variable raised_;
  std::list<Line> lines_;  // a queue keeps its own
  std::atomic<std::uint32_t> waiting_{0};
  HostRanges written_;
};

/// A host call, a grid from memory or a timestamp: a step where the API has no such command.
[[nodiscard]] inline bool is_for_host(const backend::Command& command) noexcept {
  return std::holds_alternative<backend::HostCall>(command.operation) ||
         std::holds_alternative<backend::ExecIndirect>(command.operation) ||
         std::holds_alternative<backend::Timestamp>(command.operation);
}

/// The thread that cuts submissions at their steps.
enum class Stepping : std::uint8_t {
  courier,  ///< A thread of the queue, made at first use.
  caller,   ///< The one that calls `StepQueue::drive`, for a device without threads.
};

/// One queue. The submitting thread starts a submission without steps that is behind nothing held. Otherwise the
/// queue's courier, or the caller of `drive`, cuts the submission at its steps: it starts the commands before a step,
/// waits for them, takes the step, and goes on. Later submissions are held behind it. A command that touches host
/// memory which unfinished work writes is a step, too (`HostOrder`).
class StepQueue {
 public:
  /// Commands of one submission that hold no step, possibly none. Only the first piece has waits. Only the last piece
  /// has the serial that the native timeline must reach with it.
  struct Piece {
    std::span<const backend::QueuePoint> waits;
    backend::Commands commands;
    std::optional<std::uint64_t> serial;
  };

  /// The backend's part. For one queue no two calls run at a time, except `is_step`; calls for different queues may.
  class Native {
   public:
    /// False for a launch, a copy on the device and a fill: nobody has to be asked about a list of these.
    [[nodiscard]] virtual bool is_step(const backend::Command& command) const noexcept = 0;
    /// Whether a step begins in its place, as a command of the piece, and ends behind the piece: a mark in the stream
    /// that the host reads. Then `step` is called with the first of a piece, and ends all of them.
    [[nodiscard]] virtual bool begins_in_place(const backend::Command&) const noexcept { return false; }
    /// Whether a command needs the end of one of these steps, which began before it: the piece ends in front of it.
    [[nodiscard]] virtual bool needs_end_of(std::span<const backend::Command* const>, const backend::Command&,
                                            const backend::Commands&) const noexcept {
      return true;
    }
    /// The list of a recording, where recordings may touch host memory.
    [[nodiscard]] virtual backend::Commands recorded(const backend::Replay&) const noexcept { return {}; }
    /// Whether the list can be started now without waiting for what was started before. A list that cannot is held, and
    /// the courier starts it. `kinds`: what the list has.
    [[nodiscard]] virtual bool has_room(const backend::Commands&, Kinds) { return true; }
    /// Starts the piece behind everything started before. An error means that nothing was started.
    [[nodiscard]] virtual Result<void> start(const Piece& piece) = 0;
    /// Returns when everything started is finished and visible to the host; `timeout` at the deadline.
    [[nodiscard]] virtual Result<void> finish(Deadline deadline) = 0;
    /// Takes a step of `list`, or ends it; everything before it is finished. The step may start work, and the next
    /// piece comes after that. A copy or a replay that was late is a step as well, and may start.
    [[nodiscard]] virtual Result<void> step(const backend::Command& command, const backend::Commands& list) = 0;
    /// An accepted submission cannot go on: the device is lost with this cause, and nothing more is called.
    virtual void fail(Error error) noexcept = 0;

   protected:
    ~Native() = default;
  };

  StepQueue(StepQueues& all, backend::QueueId id, std::uint64_t first_serial, Native& native,
            HostCopies copies = HostCopies::uploads, Stepping stepping = Stepping::courier);
  StepQueue(const StepQueue&) = delete;
  StepQueue& operator=(const StepQueue&) = delete;
  /// Waits for the courier, which forgets held submissions: at most a tenth of a second longer than its present step.
  ~StepQueue();

  /// Has the contract of backend::Device::submit; called by one thread at a time.
  [[nodiscard]] Result<std::uint64_t> submit(std::span<const backend::QueuePoint> waits,
                                             const backend::Commands& commands);
  /// The backend tells that `serial` is reached and its bytes are delivered. Any thread may call it.
  void reach(std::uint64_t serial) noexcept { order_.reach(serial); }
  /// With `Stepping::caller`: goes on with what is held as far as the device has come, and takes the steps. One thread
  /// at a time calls it.
  void drive() noexcept;

 private:
  struct Held {
    std::uint64_t serial = 0;
    std::vector<backend::QueuePoint> waits;
    backend::Commands commands;
  };
  /// How far the oldest held submission has come.
  struct Cursor {
    std::size_t next = 0;                    ///< The first command that has not been started.
    const backend::Command* step = nullptr;  ///< A step before, where it is not taken yet, or has only begun.
  };

  [[nodiscard]] bool is_holding() const noexcept { return holding_.load(std::memory_order_acquire) != 0; }
  [[nodiscard]] bool is_step(const backend::Command& command) const noexcept {
    return native_.is_step(command) || order_.is_late(command);
  }
  [[nodiscard]] bool has_step(const backend::Commands& commands, Kinds kinds) const;
  [[nodiscard]] Cursor end_of_piece(const backend::Commands& list, std::size_t begin) const;
  [[nodiscard]] Result<void> take(std::span<const backend::QueuePoint> waits, const backend::Commands& commands,
                                  Kinds kinds, std::uint64_t serial);
  [[nodiscard]] Result<void> hold(Held held);
  void serve() noexcept;
  [[nodiscard]] const Held* next();
  [[nodiscard]] const Held* oldest();
  [[nodiscard]] Result<bool> run(const Held& held);
  [[nodiscard]] Result<bool> go_on(const Held& held, Duration longest);
  void let_go(const Held& held);

  StepQueues& all_;
  StepQueues::Line& line_;
  Native& native_;
  const Stepping stepping_;
  HostOrder order_;
  std::uint64_t submitted_;  // used by the submitting thread
  Cursor cursor_;            // used by the thread that takes steps
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Held> held_;                // the thread that takes steps works on the first
  std::atomic<std::size_t> holding_{0};  // as many; lowered behind all that this thread does with one
  std::thread courier_;
};

}  // namespace pintle::kit
