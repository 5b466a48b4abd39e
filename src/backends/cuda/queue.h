// A queue: a stream, an event behind each piece of work, and what the host has to do for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/enqueue.h"
#include "backends/cuda/event.h"
#include "backends/cuda/memory.h"
#include "kit/indirect.h"
#include "kit/shared_table.h"
#include "kit/step_queue.h"

namespace pintle::cuda {

class Queue;
using QueueTable = kit::SharedTable<backend::QueueId, Queue>;

/// What the queues of a device share.
struct QueueContext {
  Context& context;
  MemoryTable& memory;
  EventPool events;
  DeviceClock clock;
  kit::StepQueues steps{};
  QueueTable table{};
};

class Queue final : private kit::StepQueue::Native, private kit::Loss::Waits {
 public:
  enum class Owner : std::uint8_t { us, caller };
  [[nodiscard]] static Result<backend::QueueId> create(QueueContext& shared, std::uint64_t first_serial);
  /// Over a stream that is there.
  [[nodiscard]] static backend::QueueId over(QueueContext& shared, vendor::cuda::Stream stream,
                                             std::uint64_t first_serial, Owner owner);
  Queue(QueueContext& shared, backend::QueueId id, vendor::cuda::Stream stream, Owner owner,
        std::uint64_t first_serial);
  ~Queue();

  [[nodiscard]] Result<std::uint64_t> submit(std::span<const backend::QueuePoint> waits,
                                             const backend::Commands& commands);
  /// Delivers what was downloaded before it returns.
  [[nodiscard]] Result<std::uint64_t> reached();
  [[nodiscard]] Result<void> wait(std::uint64_t serial, Deadline deadline);
  [[nodiscard]] vendor::cuda::Stream stream() const noexcept { return stream_; }

 private:
  using Piece = kit::StepQueue::Piece;

  /// Calls of the driver, and pinned memory.
  struct Needs {
    std::size_t calls = 0;
    std::uint64_t staged = 0;
  };
  [[nodiscard]] static Needs needs_of(const backend::Commands& list, kit::Kinds kinds) noexcept;

  bool is_step(const backend::Command& command) const noexcept override;
  bool begins_in_place(const backend::Command& command) const noexcept override;
  bool needs_end_of(std::span<const backend::Command* const> begun, const backend::Command& command,
                    const backend::Commands& list) const noexcept override;
  backend::Commands recorded(const backend::Replay& replay) const noexcept override;
  bool has_room(const backend::Commands& commands, kit::Kinds kinds) override;
  Result<void> start(const Piece& piece) override;
  Result<void> finish(Deadline deadline) override;
  Result<void> step(const backend::Command& command, const backend::Commands& list) override;
  void fail(Error error) noexcept override { static_cast<void>(shared_.context.lose(error)); }
  void end_waits(const Error& cause) noexcept override { timeline_.fail(cause); }

  [[nodiscard]] const vendor::cuda::Driver& api() const noexcept { return shared_.context.api(); }
  template <class Body>
  [[nodiscard]] Result<void> run(std::span<const backend::QueuePoint> waits, std::optional<std::uint64_t> serial,
                                 std::uint64_t staged, Body body);
  [[nodiscard]] std::unique_ptr<Batch> take_batch();
  [[nodiscard]] Result<void> stage(Batch& batch, std::uint64_t size);
  [[nodiscard]] Result<void> enqueue_waits(std::span<const backend::QueuePoint> waits);
  [[nodiscard]] Result<void> close(std::unique_ptr<Batch> batch, Event done, std::optional<std::uint64_t> serial);
  void give_back(Batch& batch) noexcept;
  [[nodiscard]] Result<void> retire(std::uint64_t serial);
  [[nodiscard]] bool end(std::uint64_t serial);  // with the lock held
  [[nodiscard]] Result<void> finish_pieces(Deadline deadline);
  [[nodiscard]] Result<void> await_room(std::size_t calls);
  [[nodiscard]] Result<void> await_all();
  [[nodiscard]] Result<void> call(const backend::HostCall& called);
  [[nodiscard]] Result<void> launch_indirect(const backend::ExecIndirect& indirect, const backend::Commands& list);
  [[nodiscard]] Result<void> write_times();
  [[nodiscard]] Result<void> transfer(const backend::Command& command);

  QueueContext& shared_;
  const vendor::cuda::Stream stream_;
  const Owner owner_;
  const bool is_default_;
  kit::EventTimeline<EventRules> timeline_;
  std::atomic<bool> is_closing_{false};
  std::uint64_t started_serial_;  // written by the thread that starts pieces
  std::atomic<std::uint64_t> reported_;
  std::optional<Needs> fitting_;         // of the list that the submitting thread starts; the courier waits for room
  std::optional<cuda::Piece> reserved_;  // of pinned memory, for that list
  std::mutex mutex_;
  std::vector<std::unique_ptr<Batch>> started_;  // oldest first
  std::vector<std::unique_ptr<Batch>> spare_;
  std::size_t depth_ = 0;                // commands of `started_`
  std::vector<Stamp> stamps_;            // those that have begun; only the thread that takes steps has them
  std::uint64_t last_ticks_ = 0;         // the greatest that was written; the same thread has it
  std::optional<kit::StepQueue> steps_;  // last: its thread ends before what it uses
};

}  // namespace pintle::cuda
