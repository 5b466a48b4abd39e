// A queue whose submissions are executed by threads of this process, one after another.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/pool.h"
#include "kit/host_timeline.h"
#include "pintle/backend/driver.h"

namespace pintle::host {

/// A ring of submissions with one producer (core submits under the device's lock) and one consumer: the owner. With a
/// pool, workers become owners; without one, whoever calls `run_next` must be alone.
///
/// `state_` has two bits. Who sets `owned` may run the queue; `submit` sets both, and where `owned` was clear it gives
/// the queue to the pool. An owner that finds nothing more exchanges `owned` for nothing; that fails where `pending`
/// came in, so no submission is overlooked, and after it succeeds the owner touches the queue no more. An owner that
/// meets an unreached wait leaves the queue to the `watch_` on the other timeline, still owned, and the notification
/// gives it back to the pool.
class Queue final : public Pool::Task {
 public:
  static constexpr std::uint32_t capacity = 1024;

  /// What executes the commands of one submission. `worker` is null without a pool.
  class Executor {
   public:
    virtual void execute(const Queue& queue, const backend::Commands& commands, Pool::Worker* worker) noexcept = 0;

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
  /// One caller at a time, and never more than `capacity` unfinished submissions.
  [[nodiscard]] Result<std::uint64_t> submit(std::span<const backend::QueuePoint> waits,
                                             const backend::Commands& commands);
  /// Helps and spins for a while, where there is a pool, then sleeps.
  [[nodiscard]] Result<void> wait(std::uint64_t serial, Deadline deadline);

  /// Without a pool: executes the next submission; false when there is none or it must wait for another queue.
  bool run_next() noexcept;
  /// No thread has anything more to do with the queue, and no other queue's wait names it: it may be destroyed.
  [[nodiscard]] bool is_idle() const noexcept {
    return state_.load(std::memory_order_acquire) == 0 && references_.load(std::memory_order_acquire) == 0;
  }

 private:
  static constexpr std::uint32_t owned = 1;
  static constexpr std::uint32_t pending = 2;
  static constexpr std::size_t inline_waits = 4;

  struct alignas(64) Work {
    std::atomic<std::uint64_t> serial{0};  ///< Published last: the owner polls it.
    backend::Commands commands;
    std::uint32_t wait_count = 0;
    std::uint32_t next_wait = 0;
    std::array<backend::QueuePoint, inline_waits> waits;
    std::vector<backend::QueuePoint> more_waits;
  };

  Queue(Executor& executor, Pool* pool, std::uint64_t first_serial);
  void run(Pool::Worker& worker) noexcept override;
  [[nodiscard]] bool run_all(Pool::Worker& worker) noexcept;
  [[nodiscard]] Result<void> keep_waits(Work& work, std::span<const backend::QueuePoint> waits);
  [[nodiscard]] bool release() noexcept;
  [[nodiscard]] bool wait_or_park(Work& work) noexcept;
  [[nodiscard]] Work& slot(std::uint64_t serial) noexcept { return ring_[(serial - first_serial_ - 1) % capacity]; }
  [[nodiscard]] bool has_work() noexcept {
    return slot(finished_ + 1).serial.load(std::memory_order_acquire) == finished_ + 1;
  }
  [[nodiscard]] static const backend::QueuePoint& wait_of(const Work& work, std::size_t index) noexcept {
    return index < inline_waits ? work.waits[index] : work.more_waits[index - inline_waits];
  }

  Executor& executor_;
  Pool* const pool_;
  const std::uint64_t first_serial_;
  std::unique_ptr<Work[]> ring_;
  alignas(64) std::atomic<std::uint32_t> state_{0};
  std::uint64_t submitted_;                   // the producer's
  std::atomic<std::uint32_t> references_{0};  // waits of other queues that are still to look at this one
  alignas(64) std::uint64_t finished_;        // the owner's
  kit::HostTimeline::Watch watch_;
  kit::HostTimeline timeline_;
};

}  // namespace pintle::host
