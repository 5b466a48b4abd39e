// A queue whose submissions are executed by threads of this process, one after another.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/pool.h"
#include "host/work_ring.h"
#include "kit/host_timeline.h"
#include "pintle/backend/driver.h"

namespace pintle::host {

/// A ring of submissions with one producer (core submits under the device's lock) and one consumer: the owner. With a
/// pool, workers and threads that wait become owners. Without a pool, the thread that calls `run_next` must be alone.
///
/// A thread that waits takes a queue that no worker has begun. It runs short work itself (`Stint`), and gives longer
/// work to a worker. Where that went well, the next submission is left to such a thread (`is_left_`), and no worker is
/// woken; one worker has the watch (`Lookout`). A queue goes to a worker at once where it is asked for its reached
/// serial or for a notification, or where another queue waits for it.
///
/// An owner does not touch the queue any more once `claim_` is released. An owner that meets an unreached wait leaves
/// the queue, still owned, to the `watch_` on the other timeline, and the notification gives it back to the pool.
class Queue final : public Pool::Task, public Lookout::Ward {
 public:
  static constexpr std::uint32_t capacity = 1024;

  /// How far a submission has come.
  struct Place {
    std::uint32_t command = 0;
    std::uint32_t inner = 0;   ///< The command of the recording that the command replays.
    std::uint64_t groups = 0;  ///< Groups that are done of the launch at this command.
  };

  /// What executes the commands of one submission.
  class Executor {
   public:
    /// Begins at `place` and moves it on. `worker` is null without a pool. Returns the nanoseconds that this should
    /// take the next time; infinite for work that a thread that waits must not run.
    virtual float execute(const Queue& queue, const backend::Commands& commands, Place place,
                          Pool::Worker* worker) noexcept = 0;
    /// Runs on a thread that waits. False where a worker must run the rest, from `place` on.
    virtual bool execute(const backend::Commands& commands, Place& place, Stint& stint) noexcept = 0;

   protected:
    ~Executor() = default;
  };

  /// `out_of_memory` when the ring does not fit.
  [[nodiscard]] static Result<std::unique_ptr<Queue>> create(Executor& executor, Pool* pool,
                                                             std::uint64_t first_serial);

  /// Queues are known by their address.
  [[nodiscard]] backend::QueueId id() const noexcept {
    return backend::QueueId{reinterpret_cast<std::uintptr_t>(this)};
  }
  [[nodiscard]] static Queue& of(backend::QueueId id) noexcept {
    return *reinterpret_cast<Queue*>(static_cast<std::uintptr_t>(id));
  }

  [[nodiscard]] kit::HostTimeline& timeline() noexcept { return timeline_; }
  /// Called by one thread at a time, and never with more than `capacity` unfinished submissions.
  [[nodiscard]] Result<std::uint64_t> submit(std::span<const backend::QueuePoint> waits,
                                             const backend::Commands& commands);
  /// Where there is a pool, the thread runs short work, helps and spins for a while. Then it sleeps.
  [[nodiscard]] Result<void> wait(std::uint64_t serial, Deadline deadline);
  [[nodiscard]] Result<std::uint64_t> reached() {
    hurry();
    return timeline_.reached();
  }
  [[nodiscard]] Result<void> notify(std::uint64_t serial, backend::Notification notification) {
    hurry();
    return timeline_.notify(serial, notification);
  }

  /// Without a pool: executes the next submission; false when there is none or it must wait for another queue.
  bool run_next() noexcept;
  /// No thread has anything more to do with the queue, and no other queue's wait names it: it may be destroyed.
  [[nodiscard]] bool is_idle() const noexcept {
    return claim_.is_free() && references_.load(std::memory_order_acquire) == 0;
  }

 private:
  static constexpr std::size_t inline_waits = 4;

  struct alignas(64) Work {
    std::atomic<std::uint64_t> serial{0};  ///< Published last: the owner polls it.
    backend::Commands commands;
    std::uint32_t wait_count = 0;
    std::uint32_t next_wait = 0;
    Place place;
    std::array<backend::QueuePoint, inline_waits> waits;
    std::vector<backend::QueuePoint> more_waits;
  };

  Queue(Executor& executor, Pool* pool, std::uint64_t first_serial);
  void run(Pool::Worker& worker) noexcept override;
  [[nodiscard]] bool run_all(Pool::Worker& worker) noexcept;
  void announce() noexcept;
  void take_turn(std::uint64_t serial, const Guest& guest) noexcept;
  [[nodiscard]] std::uint64_t progress() const noexcept override { return timeline_.value(); }
  void rescue() noexcept override;
  /// Gives work that was left to a worker, since the caller does not wait.
  void hurry() noexcept {
    if (claim_.is_left()) rescue();
  }
  [[nodiscard]] Result<void> keep_waits(Work& work, std::span<const backend::QueuePoint> waits);
  [[nodiscard]] bool wait_or_park(Work& work) noexcept;
  [[nodiscard]] Result<void> make_room(std::uint64_t serial);
  /// The owner's next work; null where nothing more has been submitted.
  [[nodiscard]] Work* next_work() noexcept { return ring_.find(finished_ + 1); }
  [[nodiscard]] bool has_work() noexcept { return next_work() != nullptr; }
  [[nodiscard]] static const backend::QueuePoint& wait_of(const Work& work, std::size_t index) noexcept {
    return index < inline_waits ? work.waits[index] : work.more_waits[index - inline_waits];
  }

  Executor& executor_;
  Pool* const pool_;
  WorkRing<Work> ring_;
  std::atomic<bool> is_left_{false};          // submissions are left to threads that wait
  std::atomic<bool> is_awaited_{false};       // a thread has come to wait while a worker had the queue
  std::uint64_t submitted_;                   // used by the producer
  std::atomic<std::uint32_t> references_{0};  // waits of other queues that have yet to look at this one
  alignas(64) std::uint64_t finished_;        // used by the owner
  kit::HostTimeline::Watch watch_;
  kit::HostTimeline timeline_;
};

}  // namespace pintle::host
