// Submissions with steps that only the host can take (a host call, a grid read back), for APIs that run no host code.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// What all queues of one device share: which serials have been started, so that nobody starts work behind a wait whose
/// signal the API has not seen. Outlives the queues.
class StepQueues;

/// One queue. A submission without steps, behind nothing that is held back, is started by the thread that submits.
/// Otherwise the queue's courier, a thread made at first use, cuts it at its steps: it starts the commands before a
/// step, waits for them, takes the step, and goes on; what is submitted meanwhile waits its turn.
class StepQueue {
 public:
  /// Commands of one submission that hold no step. Only the first piece has waits; `serial` is set in the last piece,
  /// which may be empty, and is what the native timeline must reach with it.
  struct Piece {
    std::span<const backend::QueuePoint> waits;
    backend::Commands commands;
    std::optional<std::uint64_t> serial;
  };

  /// What the backend does. For one queue no two calls run at a time; those of several queues may.
  class Native {
   public:
    [[nodiscard]] virtual bool is_step(const backend::Command& command) const noexcept = 0;
    /// Starts the piece behind everything started before. An error means that nothing was started.
    [[nodiscard]] virtual Result<void> start(const Piece& piece) = 0;
    /// Returns when everything started is finished and visible to the host, or `timeout`.
    [[nodiscard]] virtual Result<void> finish(Deadline deadline) = 0;
    /// Takes a step; everything before it is finished. It may start work, which the next piece is behind.
    [[nodiscard]] virtual Result<void> step(const backend::Command& command, const backend::Commands& list) = 0;
    /// A piece or a step of a submission that had already been accepted has failed: the device is lost with `error`.
    virtual void fail(Error error) noexcept = 0;

   protected:
    ~Native() = default;
  };

  StepQueue(StepQueues& all, backend::QueueId id, std::uint64_t first_serial, Native& native);
  StepQueue(const StepQueue&) = delete;
  StepQueue& operator=(const StepQueue&) = delete;
  /// Waits for the courier, which stops at the next look: within a tenth of a second of an unfinished piece.
  ~StepQueue();

  /// The contract of backend::Device::submit; called by one thread at a time.
  [[nodiscard]] Result<std::uint64_t> submit(std::span<const backend::QueuePoint> waits,
                                             const backend::Commands& commands);

 private:
  struct Held {
    std::uint64_t serial = 0;
    std::vector<backend::QueuePoint> waits;
    backend::Commands commands;
  };

  [[nodiscard]] bool has_step(const backend::Commands& commands) const noexcept;
  [[nodiscard]] Result<void> hold(std::span<const backend::QueuePoint> waits, const backend::Commands& commands);
  void serve() noexcept;
  [[nodiscard]] Result<bool> run(const Held& held);
  [[nodiscard]] Result<bool> take_step(const backend::Command& command, const backend::Commands& list);
  [[nodiscard]] Result<bool> finish_started();

  StepQueues& all_;
  const backend::QueueId id_;
  Native& native_;
  std::uint64_t submitted_;  // by the submitting thread only
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Held> held_;  // the first one is being started
  bool stopping_ = false;
  std::thread courier_;
};

class StepQueues {
 public:
  /// True when every wait is on a serial that its API has seen.
  [[nodiscard]] bool are_started(std::span<const backend::QueuePoint> waits);
  /// Returns when `are_started`, or false when `is_stopping` says so; `stop` wakes it.
  template <class IsStopping>
  [[nodiscard]] bool await_started(std::span<const backend::QueuePoint> waits, IsStopping is_stopping);

 private:
  friend class StepQueue;
  struct Started {
    backend::QueueId queue = backend::QueueId::none;
    std::uint64_t serial = 0;
  };

  void add(backend::QueueId queue, std::uint64_t serial);
  void remove(backend::QueueId queue) noexcept;
  void raise(backend::QueueId queue, std::uint64_t serial) noexcept;
  void wake() noexcept;
  [[nodiscard]] bool are_started_locked(std::span<const backend::QueuePoint> waits) const noexcept;

  std::mutex mutex_;
  std::condition_variable raised_;
  std::vector<Started> started_;
};

}  // namespace pintle::kit
