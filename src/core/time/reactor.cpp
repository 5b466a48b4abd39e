#include "core/time/reactor.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/log.h"
#include "core/device/incarnation.h"
#include "core/door/thread_context.h"
#include "core/queue/queue_state.h"

namespace pintle::core {
namespace {

// After the system has refused a thread.
constexpr auto refusal_pause = std::chrono::milliseconds(100);

}  // namespace

Continuation::Continuation(std::shared_ptr<SignalState> signal, std::uint64_t value,
                           std::function<void(const Result<void>&)> callback)
    : signal_(std::move(signal)), value_(value), callback_(std::move(callback)) {}

void Continuation::fire(Worklist&) noexcept { Reactor::instance().ready(shared_from_this()); }

Reactor& Reactor::instance() {
  static Reactor& reactor = *new Reactor;
  return reactor;
}

void Reactor::opened(bool is_driven) noexcept {
  std::lock_guard lock(mutex_);
  ++(is_driven ? driven_devices_ : other_devices_);
}

void Reactor::closed(bool is_driven) noexcept {
  std::lock_guard lock(mutex_);
  --(is_driven ? driven_devices_ : other_devices_);
}

// With the lock held. A process whose devices are all driven gets no thread from us. Where the system refuses one, the
// next event tries again; until then whoever waits drives its own device.
void Reactor::wake() noexcept {
  if (running_) {
    condition_.notify_one();
  } else if (driven_devices_ == 0 || other_devices_ > 0) {
    try {
      std::thread([this] { run(); }).detach();
      running_ = true;
    } catch (const std::exception& refusal) {
      base::log(LogLevel::error, "core", "The thread for callbacks cannot be started: {}.", refusal.what());
    }
  }
}

void Reactor::post(std::shared_ptr<QueueState> queue) noexcept {
  std::lock_guard lock(mutex_);
  posted_.push_back(std::move(queue));
  wake();
}

void Reactor::ready(std::shared_ptr<Continuation> continuation) noexcept {
  std::lock_guard lock(mutex_);
  if (continuation->place_) waiting_.erase(*std::exchange(continuation->place_, std::nullopt));
  ready_.push_back(std::move(continuation));
  wake();
}

// The backend's call: short, and no call back into the device.
void Reactor::notified(void* state) {
  const std::unique_ptr<std::shared_ptr<QueueState>> queue(static_cast<std::shared_ptr<QueueState>*>(state));
  instance().post(std::move(*queue));
}

void Reactor::watch(std::shared_ptr<QueueState> queue, std::uint64_t serial) {
  auto state = std::make_unique<std::shared_ptr<QueueState>>(queue);
  const auto told = queue->incarnation().device().notify(queue->id(), serial, {&Reactor::notified, state.get()});
  if (told) {
    static_cast<void>(state.release());
    return;
  }
  std::lock_guard lock(mutex_);
  if (is_loss(told.error().code())) {
    losses_.emplace_back(std::move(queue), told.error());  // the caller may hold the incarnation's lock
    return wake();
  }
  watched_.push_back({std::move(queue), serial});
  wake();
}

Result<void> Reactor::then(std::shared_ptr<SignalState> signal, std::uint64_t value,
                           std::function<void(const Result<void>&)> callback, Deadline deadline) {
  const auto continuation = std::make_shared<Continuation>(signal, value, std::move(callback));
  {
    std::lock_guard lock(mutex_);
    continuation->place_ = waiting_.emplace(deadline, continuation);
    wake();  // the deadline may be the next one
  }
  if (signal->timeline().add(*continuation, value) != PointStatus::pending) {
    ready(continuation);
  } else {
    signal->watch(value);
  }
  return {};
}

// Nothing here may take a timeline's lock while the reactor's is held: timelines call `ready` under theirs.
void Reactor::expire() {
  std::vector<std::shared_ptr<Continuation>> late;
  {
    std::lock_guard lock(mutex_);
    const auto end = waiting_.upper_bound(Clock::now());
    for (auto each = waiting_.begin(); each != end; ++each) late.push_back(each->second);
  }
  for (const auto& continuation : late) {
    if (!continuation->signal_->timeline().remove(*continuation)) continue;  // fired meanwhile
    continuation->timeout_ = continuation->signal_->timed_out(continuation->value_);
    ready(continuation);
  }
}

void Continuation::run() noexcept {
  Result<void> result;
  if (timeout_) {
    result = *timeout_;
  } else if (signal_->timeline().status(value_) == PointStatus::failed) {
    result = signal_->failure();
  }
  const NoBlocking guard;
  try {
    callback_(result);
  } catch (const std::exception& thrown) {
    base::log(LogLevel::error, "core", "A callback of {} throws ({}).", signal_->text(), thrown.what());
  } catch (...) {
    base::log(LogLevel::error, "core", "A callback of {} throws.", signal_->text());
  }
  callback_ = nullptr;
}

void Reactor::run_callbacks() {
  expire();
  for (;;) {
    std::shared_ptr<Continuation> next;
    {
      std::lock_guard lock(mutex_);
      if (ready_.empty()) return;
      next = std::move(ready_.front());
      ready_.pop_front();
    }
    next->run();
  }
}

void Reactor::observe_posted() {
  std::vector<std::shared_ptr<QueueState>> posted;
  {
    std::lock_guard lock(mutex_);
    posted = std::exchange(posted_, {});
  }
  for (const auto& queue : posted) {
    Worklist worklist;
    static_cast<void>(queue->observe(worklist));  // a loss has reached every waiter by other ways
  }
}

void Reactor::report_losses() {
  std::vector<std::pair<std::shared_ptr<QueueState>, Error>> losses;
  {
    std::lock_guard lock(mutex_);
    losses = std::exchange(losses_, {});
  }
  for (const auto& [queue, error] : losses) static_cast<void>(queue->incarnation().report(error));
}

// False when a thread is refused: what is left is for later.
bool Reactor::hand_over_watched() {
  std::vector<Watch> watched;
  {
    std::lock_guard lock(mutex_);
    watched = std::exchange(watched_, {});
  }
  std::erase_if(watched, [&](const Watch& each) { return watchers_.watch(each.queue, each.serial); });
  std::lock_guard lock(mutex_);
  watched_.insert(watched_.end(), watched.begin(), watched.end());
  return watched.empty();
}

void Reactor::run() {
  for (;;) {
    report_losses();
    observe_posted();
    run_callbacks();
    const bool all_watched = hand_over_watched();
    std::unique_lock lock(mutex_);
    if (!losses_.empty() || !posted_.empty() || !ready_.empty() || (all_watched && !watched_.empty())) continue;
    Deadline next = waiting_.empty() ? Deadline::max() : waiting_.begin()->first;
    if (!all_watched) next = std::min(next, deadline_after(Clock::now(), refusal_pause));
    if (next == Deadline::max()) {
      condition_.wait(lock);
    } else {
      condition_.wait_until(lock, next);
    }
  }
}

}  // namespace pintle::core
