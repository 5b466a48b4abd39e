// A queue of core. All of a device's share its one queue of WebGPU, whose order is that of the submissions.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "backends/webgpu/flights.h"
#include "backends/webgpu/recorder.h"
#include "kit/event_timeline.h"
#include "kit/loss.h"
#include "kit/one_driver.h"
#include "kit/shared_table.h"
#include "kit/step_queue.h"
#include "pintle/backend/driver.h"
#include "pintle/info.h"

namespace pintle::webgpu {

class Queue;
using QueueTable = kit::SharedTable<backend::QueueId, Queue>;

/// What the queues of a device share.
struct QueueContext {
  Context& context;
  OwnKernels& own;
  Flights& flights;
  BufferPool& pool;
  Progress progress = Progress::own;
  kit::StepQueues steps{};
  QueueTable table{};
  kit::OneDriver driver{};
};

class Queue final : private kit::StepQueue::Native, private kit::Loss::Waits {
 public:
  [[nodiscard]] static backend::QueueId create(QueueContext& shared, std::uint64_t first_serial);
  Queue(QueueContext& shared, backend::QueueId id, std::uint64_t first_serial);
  ~Queue();

  [[nodiscard]] Result<std::uint64_t> submit(std::span<const backend::QueuePoint> waits,
                                             const backend::Commands& commands);
  [[nodiscard]] Result<std::uint64_t> reached();
  [[nodiscard]] Result<void> wait(std::uint64_t serial, Deadline deadline);
  /// Takes the steps that can be taken; only on the thread that drives.
  void drive() noexcept;
  [[nodiscard]] Result<void> notify(std::uint64_t serial, backend::Notification notification) {
    return timeline_.notify(serial, notification);
  }

 private:
  bool is_step(const backend::Command& command) const noexcept override;
  Result<void> start(const kit::StepQueue::Piece& piece) override;
  Result<void> finish(Deadline deadline) override { return timeline_.wait_all(deadline); }
  Result<void> step(const backend::Command& command, const backend::Commands& list) override;
  void fail(Error error) noexcept override { static_cast<void>(shared_.context.lose(error)); }
  void end_waits(const Error& cause) noexcept override { timeline_.fail(cause); }

  [[nodiscard]] Result<void> run(const backend::Commands& commands, std::optional<std::uint64_t> serial);
  [[nodiscard]] Result<bool> is_reached(std::uint64_t serial);
  void drive_all(std::uint64_t serial, Deadline deadline);

  QueueContext& shared_;
  kit::EventTimeline<FlightRules> timeline_;
  std::optional<kit::StepQueue> steps_;  // last: its thread ends before what it uses
};

}  // namespace pintle::webgpu
