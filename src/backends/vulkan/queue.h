// A queue: submissions in order on a VkQueue that other queues may share, and a timeline semaphore of its own.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/vulkan/recorder.h"
#include "backends/vulkan/slot.h"
#include "kit/indirect.h"
#include "kit/shared_table.h"
#include "kit/step_queue.h"

namespace pintle::vulkan {

class QueueTable;

class Queue final : private kit::StepQueue::Native {
 public:
  struct Request {
    backend::QueueId id = backend::QueueId::none;
    std::uint64_t first_serial = 0;
  };
  [[nodiscard]] static Result<std::shared_ptr<Queue>> create(Context& context, QueueTable& all, Lane& lane,
                                                             const Request& request);

  [[nodiscard]] Result<std::uint64_t> submit(std::span<const backend::QueuePoint> waits,
                                             const backend::Commands& commands);
  /// Delivers what was downloaded before it returns.
  [[nodiscard]] Result<std::uint64_t> reached();
  [[nodiscard]] Result<void> wait(std::uint64_t serial, Deadline deadline);

  [[nodiscard]] Lane& lane() const noexcept { return lane_; }
  [[nodiscard]] const std::shared_ptr<Timeline>& timeline() const noexcept { return timeline_; }
  /// The timeline starts at 0, whatever the first serial.
  [[nodiscard]] std::uint64_t value_of(std::uint64_t serial) const noexcept { return serial - first_serial_; }

 private:
  /// One vkQueueSubmit.
  struct Batch {
    std::span<const backend::QueuePoint> waits;
    std::optional<std::uint64_t> serial;
  };

  Queue(Context& context, QueueTable& all, Lane& lane, const Request& request);

  [[nodiscard]] bool is_step(const backend::Command& command) const noexcept override;
  [[nodiscard]] Result<void> start(const kit::StepQueue::Piece& piece) override;
  [[nodiscard]] Result<void> finish(Deadline deadline) override;
  [[nodiscard]] Result<void> step(const backend::Command& command, const backend::Commands& list) override;
  void fail(Error error) noexcept override { static_cast<void>(context_.lose(error)); }

  template <class Record>
  [[nodiscard]] Result<void> run(const Batch& batch, Record record);
  [[nodiscard]] Result<void> run_alone(const backend::Command& command);
  [[nodiscard]] Result<void> send(std::unique_ptr<Slot> slot, const Batch& batch);
  [[nodiscard]] VkResult send_locked(std::unique_ptr<Slot> slot, const Timeline& signal, std::uint64_t value);
  [[nodiscard]] Result<std::unique_ptr<Slot>> acquire();
  [[nodiscard]] Result<void> retire(std::uint64_t value);
  [[nodiscard]] Result<void> finish_pieces(Deadline deadline);
  [[nodiscard]] Result<void> call(const backend::HostCall& called);
  [[nodiscard]] Result<void> launch(const backend::ExecIndirect& indirect, const backend::Commands& list);
  [[nodiscard]] Result<kit::GridCounts> read_grid(const backend::Range& range);

  Context& context_;
  QueueTable& all_;
  Lane& lane_;
  const std::uint64_t first_serial_;
  std::shared_ptr<Timeline> timeline_;
  std::shared_ptr<Timeline> pieces_;  // for batches that end before a step
  std::uint64_t piece_ = 0;           // the last of them
  std::uint64_t submitted_ = 0;       // values of `timeline_`; both are written by the thread that starts batches
  std::vector<VkSemaphore> wait_semaphores_;
  std::vector<std::uint64_t> wait_values_;
  std::vector<VkPipelineStageFlags> wait_stages_;
  std::atomic<std::uint64_t> reported_{0};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Slot>> started_;  // a deque would allocate now and then
  std::vector<std::unique_ptr<Slot>> free_;
  kit::StepQueue steps_;  // last: its thread ends before what it uses
};

/// All queues of a device, and what they share. Thread-safe.
class QueueTable : public kit::SharedTable<backend::QueueId, Queue> {
 public:
  explicit QueueTable(Context& context) : context_(context), staging_(context) {}
  /// Queues go first: their threads may ask this table for other queues.
  ~QueueTable() { clear(); }

  [[nodiscard]] Result<backend::QueueId> create(const backend::QueueRequest& request, Lane& lane);
  [[nodiscard]] StagingPool& staging() noexcept { return staging_; }
  [[nodiscard]] kit::StepQueues& steps() noexcept { return steps_; }
  /// Delivers what is finished on any queue, so that a host call sees it.
  [[nodiscard]] Result<void> deliver();

 private:
  friend class Queue;

  Context& context_;
  StagingPool staging_;
  kit::StepQueues steps_;
};

}  // namespace pintle::vulkan
