#include "core/time/signal_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/contain.h"
#include "core/door/describe.h"
#include "core/door/thread_context.h"
#include "core/time/worklist.h"

namespace pintle::core {
namespace {

// How long a waiter stays in the backend before it sleeps. It hears of a signal that is set or failed that much later.
constexpr auto patience = std::chrono::microseconds(50);

std::string next_signal_text(const std::string& label) {
  static std::atomic<std::uint64_t> next{1};
  return object_text("Signal", next.fetch_add(1, std::memory_order_relaxed), label);
}

}  // namespace

SignalState::SignalState(std::uint64_t initial, std::string label)
    : timeline_(initial), belongs_to_queue_(false), text_(next_signal_text(label)) {}

SignalState::SignalState(std::weak_ptr<Observable> queue, std::uint64_t initial, std::string name)
    : timeline_(initial), belongs_to_queue_(true), queue_(std::move(queue)), text_(std::move(name)) {}

bool SignalState::promise(Promise& promise) noexcept {
  {
    std::lock_guard lock(promises_mutex_);
    if (!promise.is_linked) link(promise);
  }
  // A waiter links itself first and looks for promises second. Here the order is the reverse, so one of the two sees
  // the other.
  return timeline_.has_waiters(promise.value);
}

void SignalState::link(Promise& promise) noexcept {
  promise.previous = nullptr;
  promise.next = promises_;
  if (promises_ != nullptr) promises_->previous = &promise;
  promises_ = &promise;
  promise.is_linked = true;
  promise.is_watched = false;
}

void SignalState::forget(Promise& promise) noexcept {
  std::lock_guard lock(promises_mutex_);
  if (!promise.is_linked) return;
  (promise.previous != nullptr ? promise.previous->next : promises_) = promise.next;
  if (promise.next != nullptr) promise.next->previous = promise.previous;
  promise.is_linked = false;
}

std::optional<NativePoint> SignalState::native_point(std::uint64_t value, const Observable* own) const noexcept {
  if (belongs_to_queue_) {
    auto queue = queue_.lock();
    return queue && queue->is_native(value) ? std::optional(NativePoint{std::move(queue), value}) : std::nullopt;
  }
  std::lock_guard lock(promises_mutex_);
  const Promise* first = nullptr;
  bool is_of_one_queue = true;
  for (const Promise* each = promises_; each != nullptr; each = each->next) {
    if (each->value < value) continue;
    if (each->point.queue.get() == own) return each->point;
    is_of_one_queue &= first == nullptr || first->point.queue == each->point.queue;
    if (first == nullptr || each->point.serial < first->point.serial) first = each;
  }
  const bool is_certain = first != nullptr && is_of_one_queue && first->is_native();
  return is_certain ? std::optional(first->point) : std::nullopt;
}

std::vector<NativePoint> SignalState::promised(std::uint64_t value) const {
  std::vector<NativePoint> all;
  if (belongs_to_queue_) {
    if (auto queue = queue_.lock()) all.push_back({std::move(queue), value});
    return all;
  }
  std::lock_guard lock(promises_mutex_);
  for (const Promise* each = promises_; each != nullptr; each = each->next)
    if (each->value >= value) all.push_back(each->point);
  return all;
}

std::vector<std::shared_ptr<Observable>> SignalState::promising() const {
  std::vector<std::shared_ptr<Observable>> queues;
  std::lock_guard lock(promises_mutex_);
  for (const Promise* each = promises_; each != nullptr; each = each->next) {
    if (std::ranges::find(queues, each->point.queue) == queues.end()) queues.push_back(each->point.queue);
  }
  return queues;
}

void SignalState::refresh() {
  Worklist worklist;
  if (belongs_to_queue_) {
    if (const auto queue = queue_.lock()) static_cast<void>(queue->observe(worklist));
    return;
  }
  for (const auto& queue : promising()) static_cast<void>(queue->observe(worklist));
}

void SignalState::drive(std::uint64_t value) {
  if (belongs_to_queue_) {
    const auto queue = queue_.lock();
    if (queue && queue->is_native(value)) queue->drive();
    return;
  }
  for (const auto& queue : promising()) queue->drive();
}

// Promises are taken one at a time: watching takes locks of queues. A promise is watched once.
void SignalState::watch(std::uint64_t value) noexcept {
  if (belongs_to_queue_) {
    if (const auto queue = queue_.lock()) queue->watch(value);
    return;
  }
  while (const auto next = next_unwatched(value)) next->queue->watch(next->serial);
}

std::optional<NativePoint> SignalState::next_unwatched(std::uint64_t value) noexcept {
  std::lock_guard lock(promises_mutex_);
  for (Promise* each = promises_; each != nullptr; each = each->next) {
    if (each->value >= value && each->is_native() && !std::exchange(each->is_watched, true)) return each->point;
  }
  return std::nullopt;
}

Error SignalState::failure() const noexcept {
  if (const auto cause = timeline_.failure()) return explained(*cause, [&] { return "waiting for " + text_; });
  return {Errc::internal, base::contain_or(std::string(), [&] { return text_ + " has no failure."; })};
}

Result<void> SignalState::set(std::uint64_t value) {
  if (belongs_to_queue_) {
    return invalid(fmt::format("The timeline of {} is raised by its submissions only.", text_));
  }
  refresh();
  Worklist worklist;
  const std::uint64_t reached = timeline_.value();
  if (value < reached) {
    return invalid(fmt::format("Value ({}) is lower than the value ({}) that {} has reached.", value, reached, text_));
  }
  if (timeline_.status(value) == PointStatus::failed) return timeline_.failure()->during("setting " + text_);
  timeline_.raise(value, worklist);
  return {};
}

Result<void> SignalState::fail(Error error) {
  if (belongs_to_queue_) {
    return invalid(fmt::format("The timeline of {} is failed by its submissions only.", text_));
  }
  refresh();
  Worklist worklist;
  timeline_.fail(std::move(error), worklist);
  return {};
}

Error SignalState::timed_out(std::uint64_t value) const {
  std::string blame = "nobody has submitted or set it";
  std::shared_ptr<Observable> queue = queue_.lock();
  if (queue == nullptr) {
    std::lock_guard lock(promises_mutex_);
    for (const Promise* each = promises_; each != nullptr; each = each->next) {
      if (each->value >= value) queue = each->point.queue;
    }
  }
  if (queue != nullptr) {
    blame = queue->describe_oldest();
    queue->suspect();
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

Result<void> SignalState::wait_for(Observable& queue, std::uint64_t serial, std::uint64_t value, Deadline deadline) {
  const auto waited = queue.wait_native(serial, deadline);
  if (waited || timeline_.status(value) != PointStatus::pending) return {};
  if (waited.error().code() == Errc::timeout) return timed_out(value);
  return waited.error().during("waiting for " + text_);
}

// A queue's own point comes from its backend only. A user's signal may be raised by several queues and by the host, so
// a thread waits in the backend for a moment only, which is enough for short work. Most waits are for a queue's point,
// so that comes before the loop, which would do the same at a higher cost.
Result<void> SignalState::wait(std::uint64_t value, Deadline deadline) {
  if (belongs_to_queue_ && no_blocking == 0 && timeline_.status(value) == PointStatus::pending) {
    const auto queue = queue_.lock();
    if (queue != nullptr && queue->is_native(value)) PINTLE_TRY(wait_for(*queue, value, value, deadline));
  }
  for (bool is_fresh = true;; is_fresh = false) {
    if (no_blocking > 0) refresh();
    switch (timeline_.status(value)) {
      case PointStatus::reached: await(letting_go_, deadline); return {};
      case PointStatus::failed: return failure();
      case PointStatus::pending: break;
    }
    if (no_blocking > 0) return blocking_refused("Waiting for " + text_);
    if (!belongs_to_queue_) drive(value);
    const auto native = timeline_.status(value) == PointStatus::pending ? native_point(value) : std::nullopt;
    if (native && (belongs_to_queue_ || native->queue->is_driven())) {
      PINTLE_TRY(wait_for(*native->queue, native->serial, value, deadline));
    } else if (native && is_fresh && deadline > deadline_after(Clock::now(), patience)) {
      static_cast<void>(native->queue->wait_native(native->serial, deadline_after(Clock::now(), patience)));
    } else {
      PINTLE_TRY(park(value, deadline));
    }
  }
}

}  // namespace pintle::core
