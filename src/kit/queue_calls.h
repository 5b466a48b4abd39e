// The calls of the seam that go to a queue.
#pragma once

#include <cstdint>
#include <span>

#include "pintle/backend/driver.h"

namespace pintle::kit {

/// A device that passes them to one of its queues: `Derived` has `queues()`, a SharedTable of them. Core destroys no
/// queue during a call. `BeforeExit` may still wait on a queue that another thread destroys: a wait keeps its queue.
template <class Derived, class Queue>
class QueueCalls : public backend::Device {
 public:
  void destroy_queue(backend::QueueId queue) noexcept override { all().remove(queue); }
  Result<std::uint64_t> submit(backend::QueueId id, std::span<const backend::QueuePoint> waits,
                               const backend::Commands& commands) override {
    return all().with_lent(id, [&](Queue& queue) { return queue.submit(waits, commands); });
  }
  Result<std::uint64_t> reached(backend::QueueId id) override {
    return all().with_lent(id, [](Queue& queue) { return queue.reached(); });
  }
  Result<void> wait(backend::QueueId id, std::uint64_t serial, Deadline deadline) override {
    return all().with(id, [&](Queue& queue) { return queue.wait(serial, deadline); });
  }
  /// `unsupported` where a queue has no notifications.
  Result<void> notify(backend::QueueId id, std::uint64_t serial, backend::Notification notification) override {
    if constexpr (requires(Queue& queue) { queue.notify(serial, notification); })
      return all().with(id, [&](Queue& queue) { return queue.notify(serial, notification); });
    else return backend::Device::notify(id, serial, notification);
  }

 private:
  [[nodiscard]] auto& all() noexcept { return static_cast<Derived&>(*this).queues(); }
};

}  // namespace pintle::kit
