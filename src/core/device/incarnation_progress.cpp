// Progress of an incarnation: driving, observing, draining, closing.
#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "base/fork.h"
#include "base/log.h"
#include "core/device/incarnation.h"
#include "core/door/describe.h"
#include "core/door/keep_for_ever.h"
#include "core/door/thread_context.h"
#include "core/time/reactor.h"

namespace pintle::core {
namespace {

constexpr auto drain_limit = std::chrono::seconds(5);

// What a thread that drives a device has yet to drive: what a kernel, host call or release submits meanwhile comes
// after it. On the stack of the outermost drive, since a device may outlive the thread's own objects.
class Driving {
 public:
  Driving() noexcept { current = this; }
  Driving(const Driving&) = delete;
  Driving& operator=(const Driving&) = delete;
  ~Driving() { current = nullptr; }

  void add(std::shared_ptr<Incarnation> device) { later_.push_back(std::move(device)); }
  [[nodiscard]] std::shared_ptr<Incarnation> take() noexcept {
    if (later_.empty()) return nullptr;
    auto next = std::move(later_.back());
    later_.pop_back();
    return next;
  }

  static thread_local constinit Driving* current;

 private:
  std::vector<std::shared_ptr<Incarnation>> later_;
};
thread_local constinit Driving* Driving::current = nullptr;

}  // namespace

void Incarnation::run_driven() {
  if (Driving::current != nullptr) return Driving::current->add(shared_from_this());
  Driving driving;
  for (auto next = shared_from_this(); next != nullptr; next = driving.take()) {
    while (next->drive_once()) {
    }
  }
}

// True when something has been finished, so that there may be more.
bool Incarnation::drive_once() {
  bool progressed = false;
  for (const auto& queue : queues()) {
    const auto waited = queue->wait_rest(Deadline::max());
    if (waited && *waited) progressed = true;
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

// A queue that has failed may still run what came before, and the others go on. Who dropped a queue asks no more how it
// ended.
Result<void> Incarnation::wait_idle(Deadline deadline) {
  drive();
  Result<void> answer;
  for (const auto& queue : queues()) {
    const Point last = queue->last();
    const auto waited = queue->timeline()->wait(last.value(), deadline);
    if (waited) continue;
    if (queue->timeline()->timeline().status(last.value()) == PointStatus::pending) return waited;
    if (no_blocking > 0) return blocking_refused("Waiting for " + queue->text());
    PINTLE_TRY(queue->wait_rest(deadline));
    std::lock_guard lock(mutex_);
    if (answer && !queue->is_abandoned()) answer = waited;
  }
  return answer;
}

// The last lease is gone: nobody can submit any more.
void Incarnation::close() noexcept {
  if (base::in_forked_child()) {  // any lock may be held by a thread that exists in the parent only
    return keep_for_ever(shared_from_this());
  }
  Reactor::instance().closed(is_driven());
  if (no_blocking == 0) return finish_close();
  try {  // a callback may not block
    std::thread([self = shared_from_this()] { self->finish_close(); }).detach();
  } catch (const std::exception& refusal) {
    leak(fmt::format("no thread can be started to close it: {}", refusal.what()));
  }
}

void Incarnation::leak(std::string_view reason) noexcept {
  base::log(LogLevel::error, "core", "[{}] leaks: {}", id(), reason);
  keep_for_ever(shared_from_this());
}

void Incarnation::end() noexcept {
  keep_for_ever(shared_from_this());
  if (is_lost()) return;
  if (const auto drained = drain(deadline_after(Clock::now(), drain_limit)); !drained)
    base::log(LogLevel::warn, "core", "[{}] is busy when the process ends: {}", id(), drained.error().text());
  Worklist worklist;
  std::lock_guard lock(mutex_);
  lose(Error(Errc::process_poisoned, "The process ends."), worklist);
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
    return leak(drained ? "it is not idle." : drained.error().text());
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
      PINTLE_ASSIGN(waited, queue->wait_rest(deadline));
      busy |= waited;
    }
  }
  return {};
}

}  // namespace pintle::core
