#include "core/time/reactor.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/contain.h"
#include "base/log.h"
#include "base/timeout.h"
#include "core/door/describe.h"
#include "core/door/thread_context.h"
#include "core/time/worklist.h"

namespace pintle::core {
namespace {

// The pause after the system has refused a thread or memory.
constexpr auto refusal_pause = std::chrono::milliseconds(10);
// How long the leader may stay in one call while other work waits.
constexpr auto patience = std::chrono::milliseconds(10);
// From one round to the next.
constexpr auto between_rounds = std::chrono::milliseconds(5);

}  // namespace

Continuation::Continuation(std::shared_ptr<SignalState> signal, std::uint64_t value,
                           std::function<void(const Result<void>&)> callback, const Timeout& limit)
    : signal_(std::move(signal)), value_(value), callback_(std::move(callback)), limit_(limit) {}

void Continuation::fire(Worklist&) noexcept { Reactor::instance().ready(shared_from_this()); }

Reactor& Reactor::instance() noexcept {
  static base::Immortal<Reactor> reactor;
  return reactor.value;
}

void Reactor::opened(bool is_driven) noexcept {
  std::lock_guard lock(mutex_);
  ++(is_driven ? driven_devices_ : other_devices_);
}

void Reactor::closed(bool is_driven) noexcept {
  std::lock_guard lock(mutex_);
  --(is_driven ? driven_devices_ : other_devices_);
}

// Called with the lock held. A process whose devices are all driven gets no thread from the library. Where the system
// refuses a thread, the next event tries again; until then a thread that waits drives its own device.
void Reactor::wake() noexcept {
  if (running_) {
    condition_.notify_one();
    if (is_inside_ && !leads()) call_stand_by();
  } else if (may_have_thread()) {
    try {
      start(&Reactor::lead);
      running_ = true;
    } catch (const std::exception& refusal) {
      base::log(LogLevel::error, "core", "The thread for callbacks cannot be started: {}.", refusal.what());
    }
  }
}

// A backend's thread may bring the last pointer outside the list, and it must not end the device. So the pointer stays
// on the list, or goes while the list has another.
void Reactor::post(std::shared_ptr<Observable>&& queue) noexcept {
  std::lock_guard lock(mutex_);
  list(std::exchange(queue, nullptr));
  wake();
}

// Called with the lock held. A pointer that goes here is not the last one.
void Reactor::list(std::shared_ptr<Polled>&& queue) noexcept {
  if (std::exchange(queue->is_posted_, true)) {
    queue = nullptr;
  } else {
    queue->next_posted_ = std::move(posted_);
    posted_ = std::move(queue);
  }
}

void Reactor::look_after(std::shared_ptr<Observable> queue) noexcept {
  std::lock_guard lock(mutex_);
  if (rounds_.empty()) next_round_ = deadline_after(Clock::now(), between_rounds);
  else if (running_) return rounds_.add(std::move(queue));  // the thread knows of the round
  rounds_.add(std::move(queue));
  wake();
}

void Reactor::forget(Observable& queue) noexcept {
  std::shared_ptr<Polled> removed;  // destroyed without the lock
  std::lock_guard lock(mutex_);
  removed = rounds_.remove(queue);
}

// Called with the lock held.
void Reactor::begin_round() noexcept {
  if (rounds_.empty() || Clock::now() < next_round_) return;
  while (auto queue = rounds_.take()) {
    queue->is_due_ = true;
    list(std::move(queue));
  }
}

void Reactor::tell(Observable& queue) noexcept {
  {
    std::lock_guard lock(mutex_);
    if (!std::exchange(queue.is_due_, false)) return;
  }
  queue.looked_after();
}

void Reactor::ready(std::shared_ptr<Continuation> continuation) noexcept {
  std::lock_guard lock(mutex_);
  if (continuation->place_) waiting_.erase(*std::exchange(continuation->place_, std::nullopt));
  Continuation* const last = continuation.get();
  (last_ready_ != nullptr ? last_ready_->next_ready_ : first_ready_) = std::move(continuation);
  last_ready_ = last;
  wake();
}

// The backend calls this. It is short, and does not call back into the device.
void Reactor::notified(void* state) {
  const std::unique_ptr<std::shared_ptr<Observable>> queue(static_cast<std::shared_ptr<Observable>*>(state));
  instance().post(std::move(*queue));
}

void Reactor::watch(const std::shared_ptr<Observable>& queue, std::uint64_t serial) noexcept {
  try {
    try_watch(queue, serial);
  } catch (...) {
    {
      std::lock_guard lock(mutex_);
      queue->unwatched_ = serial;
    }
    post(std::shared_ptr(queue));
  }
}

void Reactor::try_watch(const std::shared_ptr<Observable>& queue, std::uint64_t serial) {
  auto state = std::make_unique<std::shared_ptr<Observable>>(queue);
  const auto told = queue->notify(serial, {&Reactor::notified, state.get()});
  if (told) {
    static_cast<void>(state.release());
    return;
  }
  std::lock_guard lock(mutex_);
  if (told.error().code() == Errc::device_lost || told.error().code() == Errc::process_poisoned) {
    losses_.emplace_back(queue, told.error());  // the caller may hold the device's lock
  } else {
    watched_.push_back({queue, serial});
  }
  wake();
}

Result<void> Reactor::then(std::shared_ptr<SignalState> signal, std::uint64_t value,
                           std::function<void(const Result<void>&)> callback, const Timeout& limit) {
  const auto continuation = std::make_shared<Continuation>(signal, value, std::move(callback), limit);
  {
    std::lock_guard lock(mutex_);
    continuation->place_ = waiting_.emplace(limit.deadline(), continuation);
  }
  if (signal->timeline().add(*continuation, value) != PointStatus::pending) {
    ready(continuation);
    return {};
  }
  signal->watch(value);
  std::lock_guard lock(mutex_);
  continuation->may_expire_ = true;
  wake();  // the deadline may be the next one
  return {};
}

// No timeline's lock may be taken under the reactor's: timelines call `ready` under theirs.
void Reactor::expire() noexcept {
  while (const auto continuation = next_late()) {
    if (!continuation->signal_->timeline().remove(*continuation)) continue;  // fired meanwhile
    try {
      const Error late = continuation->signal_->timed_out(continuation->value_);
      continuation->timeout_ = base::with_default(late, continuation->limit_, Deadline::min());
    } catch (...) {
      continuation->timeout_ = base::error_of_exception("saying what a callback waited for");
    }
    ready(continuation);
  }
}

/// A continuation whose deadline has passed. It leaves `waiting_` here; `fire` may pass it to `ready` just then.
std::shared_ptr<Continuation> Reactor::next_late() noexcept {
  std::lock_guard lock(mutex_);
  const auto end = waiting_.upper_bound(Clock::now());
  const auto place = std::find_if(waiting_.begin(), end, [](const auto& each) { return each.second->may_expire_; });
  if (place == end) return nullptr;
  auto late = place->second;
  waiting_.erase(*std::exchange(late->place_, std::nullopt));
  return late;
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

std::shared_ptr<Continuation> Reactor::next_ready() noexcept {
  std::lock_guard lock(mutex_);
  auto next = std::move(first_ready_);
  if (next != nullptr) first_ready_ = std::move(next->next_ready_);
  if (first_ready_ == nullptr) last_ready_ = nullptr;
  return next;
}

void Reactor::run_callbacks() noexcept {
  expire();
  while (const auto next = next_ready()) next->run();
}

Error Reactor::explain(const Error& error) noexcept {
  std::size_t ready = 0;
  {
    std::lock_guard lock(mutex_);
    if (running_ || may_have_thread()) return error;
    for (const Continuation* each = first_ready_.get(); each != nullptr; each = each->next_ready_.get()) ++ready;
  }
  if (ready == 0) return error;
  return explained(error, [&] {
    return fmt::format("leaving callbacks ({}) that are ready to `Device::poll()`, since no open device has threads",
                       ready);
  });
}

/// False when a queue is still not watched.
bool Reactor::observe_posted() noexcept {
  {
    std::lock_guard lock(mutex_);
    begin_round();
    if (observing_ == nullptr) observing_ = std::move(posted_);
  }
  bool is_complete = true;
  while (auto queue = next_posted()) {
    observe(queue);
    tell(*queue);
    is_complete &= watch_again(queue);
    queue = nullptr;  // may be the last pointer, whose end is the device's
    come_back();
  }
  return is_complete;
}

std::shared_ptr<Observable> Reactor::next_posted() noexcept {
  std::lock_guard lock(mutex_);
  if (!leads() || observing_ == nullptr) return nullptr;
  auto queue = std::static_pointer_cast<Observable>(observing_);
  observing_ = std::move(queue->next_posted_);
  queue->is_posted_ = false;  // before the queue is observed: a queue that is posted from now on is observed again
  go_in();
  return queue;
}

void Reactor::observe(std::shared_ptr<Observable> queue) noexcept {
  Worklist::Unasked unasked;
  Worklist worklist(unasked);
  static_cast<void>(queue->observe(worklist));  // a loss has been told to every waiter elsewhere
  if (worklist.empty()) return;
  std::lock_guard lock(mutex_);
  if (leads()) go_in();  // the rest of the work may keep this thread, and a waiter need not wait for it
}

bool Reactor::watch_again(const std::shared_ptr<Observable>& queue) noexcept {
  std::uint64_t serial = 0;
  {
    std::lock_guard lock(mutex_);
    serial = std::exchange(queue->unwatched_, 0);
  }
  if (serial != 0) watch(queue, serial);
  std::lock_guard lock(mutex_);
  return queue->unwatched_ == 0;
}

void Reactor::report_losses() {
  for (;;) {
    std::optional<std::pair<std::shared_ptr<Observable>, Error>> loss;
    {
      std::lock_guard lock(mutex_);
      if (!leads() || losses_.empty()) return;
      loss.emplace(std::move(losses_.front()));
      losses_.erase(losses_.begin());
      go_in();
    }
    loss->first->report(loss->second);
    loss.reset();
    come_back();
  }
}

// False when the system refuses a thread; the rest is for later.
bool Reactor::hand_over_watched() {
  std::vector<Watch> watched;
  {
    std::lock_guard lock(mutex_);
    watched = std::exchange(watched_, {});
  }
  std::erase_if(watched, [&](const Watch& each) { return watchers_.watch(each.queue, each.serial); });
  std::lock_guard lock(mutex_);
  if (!watched.empty()) watched_.insert(watched_.end(), watched.begin(), watched.end());
  return watched.empty();
}

// One thread runs callbacks at a time. A thread that leads during another thread's callback leaves them to that thread.
void Reactor::call_back() noexcept {
  {
    std::lock_guard lock(mutex_);
    if (!leads() || is_calling_) return;
    is_calling_ = true;
    go_in();
  }
  run_callbacks();
  {
    std::lock_guard lock(mutex_);
    is_calling_ = false;
    if (!leads()) wake();
  }
  come_back();
}

// Called with the lock held. From here on a driver may keep the leader.
void Reactor::go_in() noexcept {
  ++steps_;
  is_inside_ = true;
  if (has_more()) call_stand_by();
}

void Reactor::come_back() noexcept {
  std::lock_guard lock(mutex_);
  if (!leads()) return;
  ++steps_;
  is_inside_ = false;
}

bool Reactor::has_more() const noexcept {
  const bool may_expire = !waiting_.empty() && waiting_.begin()->first != Deadline::max();
  const bool is_ready = first_ready_ != nullptr && !is_calling_;
  return posted_ != nullptr || observing_ != nullptr || !rounds_.empty() || is_ready || may_expire ||
         !watched_.empty() || !losses_.empty();
}

// Called with the lock held.
void Reactor::call_stand_by() noexcept {
  if (std::exchange(is_wanted_, true)) return;
  if (stands_by_) return is_behind_.notify_one();
  try {
    start(&Reactor::stand_by);
    stands_by_ = true;
  } catch (const std::exception&) {  // the next thread that needs a leader tries again
    is_wanted_ = false;
  }
}

void Reactor::start(void (Reactor::*what)()) {
  std::thread([this, what] { (this->*what)(); }).detach();
}

void Reactor::stand_by() {
  std::unique_lock lock(mutex_);
  for (;;) {
    is_behind_.wait(lock, [this] { return is_wanted_; });
    const std::uint64_t step = steps_;
    is_behind_.wait_for(lock, patience);
    if (is_inside_ && steps_ == step) break;
    is_wanted_ = is_inside_ && has_more();
  }
  stands_by_ = is_wanted_ = is_inside_ = false;
  leader_ = std::this_thread::get_id();
  lock.unlock();
  lead();
}

/// False when another thread leads.
bool Reactor::sleep(bool is_complete) {
  std::unique_lock lock(mutex_);
  if (!leads()) return false;
  if (!losses_.empty() || (first_ready_ != nullptr && !is_calling_) || observing_ != nullptr) return true;
  if (is_complete && (posted_ != nullptr || !watched_.empty())) return true;
  Deadline next = waiting_.empty() ? Deadline::max() : waiting_.begin()->first;
  if (is_calling_) next = Deadline::max();  // the thread that calls back looks at deadlines too, and wakes this one
  if (!rounds_.empty()) next = std::min(next, next_round_);
  if (!is_complete) next = std::min(next, deadline_after(Clock::now(), refusal_pause));
  if (next == Deadline::max()) {
    condition_.wait(lock);
  } else {
    condition_.wait_until(lock, next);
  }
  return true;
}

void Reactor::lead() {
  {
    std::lock_guard lock(mutex_);
    leader_ = std::this_thread::get_id();
  }
  for (bool is_complete = true; sleep(is_complete);) {
    report_losses();
    is_complete = observe_posted();
    call_back();
    is_complete &= hand_over_watched();
  }
  {
    std::lock_guard lock(mutex_);
    if (stands_by_) return;
    stands_by_ = true;
  }
  stand_by();
}

}  // namespace pintle::core
