// Progress of an incarnation: driving, observing, draining, closing.
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "base/log.h"
#include "core/incarnation.h"
#include "core/reactor.h"
#include "core/thread_context.h"

namespace pintle::core {
namespace {

constexpr auto drain_limit = std::chrono::seconds(5);

// Devices that this thread has yet to drive. What a kernel, host call or release submits while one is driven comes
// after it.
struct Driving {
  bool active = false;
  std::vector<std::shared_ptr<Incarnation>> pending;
};
thread_local Driving driving;

}  // namespace

void Incarnation::drive() {
  if (!is_driven()) return;
  driving.pending.push_back(shared_from_this());
  if (driving.active) return;
  driving.active = true;
  while (!driving.pending.empty()) {
    const auto next = std::move(driving.pending.back());
    driving.pending.pop_back();
    while (next->drive_once()) {
    }
  }
  driving.active = false;
}

// True when something has been finished, so that there may be more.
bool Incarnation::drive_once() {
  bool progressed = false;
  for (const auto& queue : queues()) {
    std::optional<std::uint64_t> serial;
    {
      std::lock_guard lock(mutex_);
      if (!is_lost()) serial = queue->unfinished_native();
    }
    if (serial && queue->wait_native(*serial, Deadline::max())) progressed = true;
  }
  return progressed;
}

Result<void> Incarnation::poll() {
  drive();
  for (const auto& queue : queues()) {
    Worklist worklist;
    PINTLE_TRY(queue->observe(worklist));
  }
  return {};
}

Result<void> Incarnation::wait_idle(Deadline deadline) {
  drive();
  for (const auto& queue : queues()) {
    const Point last = queue->last();
    PINTLE_TRY(queue->timeline()->wait(last.value(), deadline));
  }
  return {};
}

// The last lease is gone: nobody can submit any more.
void Incarnation::close() noexcept {
  if (base::in_forked_child()) {  // any lock may be held by a thread that exists in the parent only
    static_cast<void>(new std::shared_ptr<Incarnation>(shared_from_this()));
    return;
  }
  Reactor::instance().closed(is_driven());
  if (no_blocking == 0) return finish_close();
  std::thread([self = shared_from_this()] { self->finish_close(); }).detach();  // a callback may not block
}

void Incarnation::finish_close() noexcept {
  const auto drained = is_lost() ? Result<void>() : drain(deadline_after(Clock::now(), drain_limit));
  Worklist worklist;
  std::lock_guard lock(mutex_);
  const Error cancelled(Errc::cancelled, fmt::format("[{}] is closed: its last owner has gone.", id()));
  bool unfinished = false;
  for (const auto& queue : queues_) {
    queue->cancel_held(cancelled, worklist);
    unfinished |= !is_lost() && !queue->is_idle();
  }
  if (unfinished) {
    base::log(LogLevel::error, "core", "[{}] leaks: {}", id(), drained ? "it is not idle" : drained.error().text());
    return Reactor::instance().leak(shared_from_this());
  }
  if (!is_lost()) {
    for (const auto& queue : queues_) queue->abandon();
    dispose_finished(worklist);
  }
  worklist.later([dropped = std::make_shared<std::vector<std::shared_ptr<QueueState>>>(std::exchange(queues_, {}))] {});
}

// Waits for what the backend has; what is still held then is given up by the caller.
Result<void> Incarnation::drain(Deadline deadline) {
  drive();
  for (bool busy = true; busy;) {
    busy = false;
    for (const auto& queue : queues()) {
      std::optional<std::uint64_t> serial;
      {
        std::lock_guard lock(mutex_);
        serial = queue->unfinished_native();
      }
      if (!serial) continue;
      busy = true;
      PINTLE_TRY(queue->wait_native(*serial, deadline));
    }
  }
  return {};
}

}  // namespace pintle::core
