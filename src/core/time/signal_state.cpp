#include "core/time/signal_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/device/incarnation.h"
#include "core/door/describe.h"
#include "core/door/object_names.h"
#include "core/door/thread_context.h"
#include "core/queue/queue_state.h"
#include "core/time/worklist.h"

namespace pintle::core {
namespace {

std::string next_signal_text(const std::string& label) {
  static std::atomic<std::uint64_t> next{1};
  return object_text("Signal", next.fetch_add(1, std::memory_order_relaxed), label);
}

}  // namespace

SignalState::SignalState(std::uint64_t initial, std::string label)
    : timeline_(initial), belongs_to_queue_(false), text_(next_signal_text(label)) {}

SignalState::SignalState(std::weak_ptr<QueueState> queue, std::uint64_t initial, std::string name)
    : timeline_(initial), belongs_to_queue_(true), queue_(std::move(queue)), text_(std::move(name)) {}

void SignalState::promise(std::uint64_t value, std::shared_ptr<QueueState> queue, std::uint64_t serial) {
  {
    std::lock_guard lock(promises_mutex_);
    promises_.push_back({value, {queue, serial}});
  }
  // A waiter links itself first and looks for promises second; here it is the other way round, so one of the two sees
  // the other.
  if (timeline_.has_waiters(value)) queue->watch(serial);
}

void SignalState::forget_promise(const QueueState* queue, std::uint64_t serial) noexcept {
  std::lock_guard lock(promises_mutex_);
  std::erase_if(promises_, [&](const Promise& promise) {
    return promise.point.queue.get() == queue && promise.point.serial == serial;
  });
}

std::optional<NativePoint> SignalState::native_point(std::uint64_t value) const {
  if (belongs_to_queue_) {
    const auto queue = queue_.lock();
    return queue ? queue->native_point(value) : std::nullopt;
  }
  std::lock_guard lock(promises_mutex_);
  const Promise* best = nullptr;
  for (const Promise& promise : promises_) {
    if (promise.value >= value && (best == nullptr || promise.value < best->value)) best = &promise;
  }
  return best != nullptr ? std::optional(best->point) : std::nullopt;
}

void SignalState::refresh() {
  Worklist worklist;
  if (belongs_to_queue_) {
    if (const auto queue = queue_.lock()) static_cast<void>(queue->observe(worklist));
    return;
  }
  std::vector<std::shared_ptr<QueueState>> queues;
  {
    std::lock_guard lock(promises_mutex_);
    for (const Promise& promise : promises_) {
      if (std::ranges::find(queues, promise.point.queue) == queues.end()) queues.push_back(promise.point.queue);
    }
  }
  for (const auto& queue : queues) static_cast<void>(queue->observe(worklist));
}

void SignalState::watch(std::uint64_t value) {
  if (const auto point = native_point(value)) point->queue->watch(point->serial);
}

Error SignalState::failure() const {
  const auto cause = timeline_.failure();
  return cause ? cause->during("waiting for " + text_) : Error(Errc::internal, text_ + " has no failure.");
}

Result<void> SignalState::set(std::uint64_t value) {
  if (belongs_to_queue_) {
    return Error(Errc::invalid_argument, fmt::format("The timeline of {} is raised by its submissions only.", text_));
  }
  refresh();
  Worklist worklist;
  const std::uint64_t reached = timeline_.value();
  if (value < reached) {
    return Error(Errc::invalid_argument,
                 fmt::format("Value ({}) is lower than the value ({}) that {} has reached.", value, reached, text_));
  }
  if (timeline_.status(value) == PointStatus::failed) return timeline_.failure()->during("setting " + text_);
  timeline_.raise(value, worklist);
  return {};
}

Result<void> SignalState::fail(Error error) {
  if (belongs_to_queue_) {
    return Error(Errc::invalid_argument, fmt::format("The timeline of {} is failed by its submissions only.", text_));
  }
  refresh();
  Worklist worklist;
  timeline_.fail(std::move(error), worklist);
  return {};
}

Error SignalState::timed_out(std::uint64_t value) const {
  std::string blame = "nobody has submitted or set it";
  if (const auto point = native_point(value)) {
    blame = point->queue->describe_oldest();
  } else if (const auto queue = queue_.lock()) {
    blame = queue->describe_oldest();
  }
  return Error(Errc::timeout,
               fmt::format("Waiting for value ({}) of {} passes its deadline; the value reached is ({}), and {}.",
                           value, text_, timeline_.value(), blame));
}

// Sleeps until somebody raises or fails the timeline.
Result<void> SignalState::park(std::uint64_t value, Deadline deadline) {
  Parker parker;
  ParkedWaiter waiter(parker);
  if (timeline_.add(waiter, value) != PointStatus::pending) return {};
  watch(value);
  if (parker.park(deadline) || !timeline_.remove(waiter)) return {};
  return timed_out(value);
}

Result<void> SignalState::wait(std::uint64_t value, Deadline deadline) {
  for (;;) {
    if (no_blocking > 0) refresh();
    switch (timeline_.status(value)) {
      case PointStatus::reached: return {};
      case PointStatus::failed: return failure();
      case PointStatus::pending: break;
    }
    if (no_blocking > 0) return blocking_refused("Waiting for " + text_);
    const auto native = native_point(value);
    if (!native) {
      PINTLE_TRY(park(value, deadline));
      continue;
    }
    const auto waited = native->queue->wait_native(native->serial, deadline);
    if (waited || timeline_.status(value) != PointStatus::pending) continue;
    return waited.error().code() == Errc::timeout ? timed_out(value) : waited.error().during("waiting for " + text_);
  }
}

}  // namespace pintle::core
