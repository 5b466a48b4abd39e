// A queue of core: its work runs on the thread that submits where that is short, else on a thread of the queue.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/pjrt/flight.h"
#include "backends/pjrt/memory.h"
#include "backends/pjrt/runner.h"
#include "kit/event_timeline.h"
#include "kit/host_access.h"
#include "kit/loss.h"
#include "kit/shared_table.h"
#include "kit/step_queue.h"
#include "pintle/backend/driver.h"

namespace pintle::pjrt {

class Queue;
using QueueTable = kit::SharedTable<backend::QueueId, Queue>;

/// What the queues of a device share.
struct QueueContext {
  const Client& client;
  std::shared_ptr<kit::Loss> loss;
  std::shared_ptr<std::atomic<bool>> any_failed = std::make_shared<std::atomic<bool>>(false);  ///< A submission of any.
  kit::HostAccess host{};
  kit::StepQueues steps{};
  QueueTable table{};
};

/// A launch may run inside of the plug-in's call, and what moves bytes waits for them.
class Queue final : private kit::StepQueue::Native, private kit::Loss::Waits {
 public:
  [[nodiscard]] static backend::QueueId create(QueueContext& shared, std::uint64_t first_serial);
  Queue(QueueContext& shared, backend::QueueId id, std::uint64_t first_serial);
  ~Queue();

  [[nodiscard]] Result<std::uint64_t> submit(std::span<const backend::QueuePoint> waits,
                                             const backend::Commands& commands);
  [[nodiscard]] Result<std::uint64_t> reached();
  [[nodiscard]] Result<void> wait(std::uint64_t serial, Deadline deadline);
  [[nodiscard]] Result<void> notify(std::uint64_t serial, backend::Notification notification) {
    return timeline_.notify(serial, notification);
  }
  [[nodiscard]] std::optional<Error> take_verdict(std::uint64_t serial) { return line_->take_verdict(serial); }

 private:
  bool is_step(const backend::Command& command) const noexcept override { return kit::is_for_host(command); }
  bool has_room(const backend::Commands& commands, kit::Kinds) override;
  Result<void> start(const kit::StepQueue::Piece& piece) override;
  Result<void> finish(Deadline deadline) override { return timeline_.wait_all(deadline); }
  Result<void> step(const backend::Command& command, const backend::Commands& list) override;
  void fail(Error error) noexcept override { static_cast<void>(shared_.loss->lose(error)); }
  void end_waits(const Error& cause) noexcept override;

  [[nodiscard]] bool find_short(const backend::Commands& commands);
  template <class Body>
  [[nodiscard]] Result<void> run(std::optional<std::uint64_t> serial, Body body);
  template <class Body>
  [[nodiscard]] Result<void> touch_host(Body body);

  QueueContext& shared_;
  const std::shared_ptr<Line> line_;
  std::vector<SharedVariant> found_;  // by command of the list that starts next; empty: not known
  Runner::Space space_;               // of the thread that starts
  kit::EventTimeline<FlightRules> timeline_;
  std::optional<kit::StepQueue> steps_;  // last: its thread ends before what it uses
};

}  // namespace pintle::pjrt
