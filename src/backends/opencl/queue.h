// A queue in order: commands become enqueues, and an event behind each piece is its timeline.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backends/opencl/api.h"
#include "backends/opencl/found_device.h"
#include "kit/event_timeline.h"
#include "kit/indirect.h"
#include "kit/loss.h"
#include "kit/shared_table.h"
#include "kit/step_queue.h"
#include "pintle/backend/driver.h"

namespace pintle::opencl {

class Queue;

/// Events of OpenCL's, for a timeline.
struct EventRules {
  using Event = opencl::Event;
  std::shared_ptr<kit::Loss> loss;

  [[nodiscard]] Result<bool> is_done(const Event& event) const;
  [[nodiscard]] bool tell(const Event& event, kit::EventTold told) const noexcept;
  [[nodiscard]] Error lose(const Error& error) const { return loss->lose(error); }
};

using QueueTable = kit::SharedTable<backend::QueueId, Queue>;

/// What the queues of a device share.
struct QueueContext {
  const FoundDevice& found;
  cl_context context = nullptr;
  std::shared_ptr<kit::Loss> loss;
  kit::StepQueues steps;
  QueueTable table;
};

class Queue final : private kit::StepQueue::Native, private kit::Loss::Waits {
 public:
  using Timeline = kit::EventTimeline<EventRules>;

  enum class Time : std::uint8_t {
    unmeasured,  ///< Until a caller needs it: measuring slows each command.
    measured,    ///< As the device's clock needs it.
    absent,      ///< The caller's own queue, which was made without profiling.
  };

  [[nodiscard]] static backend::QueueId create(QueueContext& shared, Owned<cl_command_queue> native, Time time,
                                               std::uint64_t first_serial);

  Queue(QueueContext& shared, backend::QueueId id, Owned<cl_command_queue> queue, Time time,
        std::uint64_t first_serial);
  ~Queue();

  [[nodiscard]] Result<std::uint64_t> submit(std::span<const backend::QueuePoint> waits,
                                             const backend::Commands& commands);
  [[nodiscard]] Result<std::uint64_t> reached();
  [[nodiscard]] Result<void> wait(std::uint64_t serial, Deadline deadline);
  [[nodiscard]] Result<void> notify(std::uint64_t serial, backend::Notification notification) {
    return timeline_.notify(serial, notification);
  }
  /// Every call returns the same queue.
  [[nodiscard]] Result<cl_command_queue> native();

 private:
  using Piece = kit::StepQueue::Piece;

  bool is_step(const backend::Command& command) const noexcept override { return kit::is_for_host(command); }
  backend::Commands recorded(const backend::Replay& replay) const noexcept override;
  Result<void> start(const Piece& piece) override;
  Result<void> finish(Deadline deadline) override { return timeline_.wait_all(deadline); }
  Result<void> step(const backend::Command& command, const backend::Commands& list) override;
  void fail(Error error) noexcept override { static_cast<void>(shared_.loss->lose(error)); }
  void end_waits(const Error& cause) noexcept override { timeline_.fail(cause); }

  template <class Enqueue>
  [[nodiscard]] auto on_native(Enqueue enqueue);
  [[nodiscard]] Result<void> measure();
  [[nodiscard]] Result<void> enqueue_waits(std::span<const backend::QueuePoint> waits);
  [[nodiscard]] Result<void> enqueue_piece(const Piece& piece);
  [[nodiscard]] Result<void> enqueue_all(const backend::Commands& commands, Event& last, bool& has_started);
  [[nodiscard]] Result<void> enqueue_alone(const backend::Command& command, const backend::Commands& list);
  [[nodiscard]] Result<void> launch_indirect(const backend::ExecIndirect& indirect, const backend::Commands& list);
  [[nodiscard]] Result<void> read_counts(cl_command_queue queue, const backend::Range& at);
  [[nodiscard]] Result<void> write_time(const backend::Range& to);
  [[nodiscard]] Result<void> await_all();

  QueueContext& shared_;
  std::mutex native_mutex_;             // of the next two
  Owned<cl_command_queue> queue_;       // what is enqueued on
  Owned<cl_command_queue> unmeasured_;  // what it was before time was measured: its work may still run
  std::atomic<Time> time_;
  Timeline timeline_;
  std::atomic<bool> is_closing_{false};
  Event last_;                  // of the last piece
  std::vector<Event> awaited_;  // kept for their memory, as is the next
  std::vector<cl_event> wait_list_;
  kit::GridCounts counts_{};             // read by a step
  std::uint64_t ticks_ = 0;              // written by a step
  std::optional<kit::StepQueue> steps_;  // last: its thread ends before what it uses
};

}  // namespace pintle::opencl
