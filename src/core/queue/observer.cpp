// From the backend's progress to the waiters.
#include "core/queue/observer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/contain.h"
#include "core/door/describe.h"
#include "core/time/reactor.h"

namespace pintle::core {

Observer::Observer(std::shared_ptr<BufferTable> table, backend::QueueId id, std::uint64_t first_serial,
                   std::string text)
    : table_(std::move(table)),
      id_(id),
      text_(std::move(text)),
      verdicts_(life().device()),
      flights_(id, first_serial) {}

void Observer::begin(const Locked& locked) {
  timeline_ = std::make_shared<SignalState>(weak_from_this(), flights_.last(), text_);
  flights_.clock().timeline = timeline_;
  number_ = table_->clocks(locked).add(flights_.clock());
}

Observer* Observer::sibling_of(const NativePoint& point) const noexcept {
  return point.queue->device() == device() ? static_cast<Observer*>(point.queue.get()) : nullptr;
}

void Observer::forget_watched() noexcept {
  if (!is_watching_.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(watch_mutex_);
  std::erase_if(watched_, [this](std::uint64_t serial) { return serial <= flights_.reached(); });
  is_watching_.store(!watched_.empty(), std::memory_order_relaxed);
}

// A serial may have several waiters, and the backend is asked once. Where there is no memory to remember the first
// request, the backend is asked again.
void Observer::watch(std::uint64_t serial) noexcept {
  const Call call(*this);
  if (!call.is_allowed() || !is_native(serial) || is_driven()) return;
  {
    std::lock_guard lock(watch_mutex_);
    if (std::ranges::find(watched_, serial) != watched_.end()) return;
    try {
      watched_.push_back(serial);
      is_watching_.store(true, std::memory_order_relaxed);
    } catch (...) {
      is_watching_.store(!watched_.empty(), std::memory_order_relaxed);
    }
  }
  Reactor::instance().watch(shared_from_this(), serial);
}

Result<void> Observer::notify(std::uint64_t serial, backend::Notification notification) {
  const Call call(*this);
  if (!call.is_allowed()) return Error(Errc::unsupported, "The queue has ended.");
  return life().device().notify(id(), serial, notification);
}

// A queue that was to go while calls were running goes with the last of these calls.
void Observer::dispose_ended() noexcept {
  Worklist worklist;
  const Locked locked = life().lock();
  table_->queues().dispose_finished(worklist, locked);
}

// The reactor is told under the lock, which is what keeps its list and `is_looked_after_` together.
void Observer::owe(std::uint64_t serial, const Locked&) noexcept {
  serial = std::min(serial, flights_.undroppable());
  if (is_driven() || serial <= flights_.reached()) return;
  owed_ = std::max(owed_, serial);
  if (!std::exchange(is_looked_after_, true)) Reactor::instance().look_after(shared_from_this());
}

void Observer::looked_after() noexcept {
  const Locked locked = life().lock();
  is_looked_after_ = false;
  if (!life().is_lost()) owe(owed_, locked);
}

Result<void> Observer::observe(Worklist& worklist) {
  const Call call(*this);
  if (!call.is_allowed() || life().is_lost()) return {};
  return observe_called(worklist);
}

Result<void> Observer::observe_called(Worklist& worklist) {
  const auto reached = life().device().reached(id());
  if (!reached) return life().report(reached.error());
  Others before;  // let go without the lock
  bool is_known = true;
  {
    const Locked locked = life().lock();
    if (flights_.reached() < last_bound_) is_known = try_add_before(*reached, before, locked);
    if (is_known && before.empty()) {
      finish_up_to(*reached, worklist, locked);
      return {};
    }
  }
  PINTLE_TRY(is_known ? observe_before(before) : table_->queues().ask_all());
  const Locked locked = life().lock();
  finish_up_to(*reached, worklist, locked);
  return {};
}

// A backend may deliver a queue's downloads only when that queue is asked. The work that the finished work waited for
// is finished too, on any queue, and a caller that hears of this point relies on that work's bytes.
Result<void> Observer::observe_before(Others& before) {
  for (std::size_t next = 0; next < before.size(); ++next) {
    Observer& queue = *before[next];
    PINTLE_ASSIGN(its, queue.ask());
    Locked locked = life().lock();
    if (queue.try_add_before(its, before, locked)) continue;
    locked.unlock();
    return table_->queues().ask_all();
  }
  return {};
}

Result<std::uint64_t> Observer::ask() {
  const Call call(*this);
  const auto reached = call.is_allowed() ? life().device().reached(id()) : Result<std::uint64_t>(0U);
  if (!reached) return life().report(reached.error());
  return reached;
}

/// Adds the queues that newly finished work has waited for. False where there is no memory for them.
bool Observer::try_add_before(std::uint64_t reached, Others& before, const Locked& locked) noexcept {
  return base::contain_or(false, [&] {
    const std::uint64_t newest = std::min(reached, flights_.native());
    for (std::uint64_t serial = flights_.reached(); serial < newest;) {  // never beyond the last of all serials
      const Flight& finished = flights_[++serial];
      if (!finished.has_more) continue;
      for (const Stamp& stamp : finished.bound) add_before(stamp, before, locked);
    }
    return true;
  });
}

void Observer::add_before(const Stamp& stamp, Others& before, const Locked& locked) {
  const QueueClock* const clock = table_->clocks(locked).find(stamp.queue);
  const auto native = clock != nullptr ? clock->timeline->native_point(stamp.serial) : std::nullopt;
  if (!native || native->queue.get() == this || sibling_of(*native) == nullptr) return;
  auto queue = std::static_pointer_cast<Observer>(native->queue);
  if (std::ranges::find(before, queue) == before.end()) before.push_back(std::move(queue));
}

void Observer::finish_up_to(std::uint64_t reached, Worklist& worklist, const Locked& locked) noexcept {
  if (reached <= flights_.reached() || life().is_lost()) return;
  reached = std::min(reached, flights_.native());
  while (flights_.reached() < reached) {
    Flight& next = flights_[flights_.reached() + 1];
    if (next.has_more || verdicts_.may_be_told()) finish(next, worklist, locked);
    next.clear(worklist);
    flights_.finish_one();
  }
  worklist.begin_letting_go(timeline_->letting_go());
  timeline_->timeline().raise(flights_.reached(), worklist);
  forget_watched();
  if (table_->has_dropped(locked)) table_->queues().dispose_finished(worklist, locked);
  if (abandoned_) go_if_over(worklist, locked);
}

void Observer::go_if_over(Worklist& worklist, const Locked& locked) noexcept {
  if (!abandoned_ || is_over_ || !(life().is_lost() || flights_.count() == 0)) return;
  is_over_ = table_->queues().end(*this, worklist, locked);
}

void Observer::finish(Flight& flight, Worklist& worklist, const Locked& locked) noexcept {
  std::optional<Error> error = verdict_on(flight.serial);
  if (auto thrown = flight.take_error(); thrown && !error) error = std::move(thrown);
  if (error) {
    timeline_->timeline().raise(flight.serial - 1, worklist);
    fail_from(flight.serial,
              explained(*error, [&] { return fmt::format("running submission ({}) of {}", flight.serial, text_); }),
              worklist, locked);
  }
  for (Raise& raise : flight.raises) raise.keep(worklist);
}

/// Why a submission has failed though its device goes on.
std::optional<Error> Observer::verdict_on(std::uint64_t serial) noexcept {
  if (!verdicts_.may_be_told()) return std::nullopt;
  kit::Verdict verdict{id(), serial};
  static_cast<void>(life().device().native(kit::Verdict::native_type, 0, &verdict));
  return std::move(verdict.error);
}

Result<void> Observer::wait_native(std::uint64_t serial, Deadline deadline) {
  Worklist worklist;
  const Call call(*this);
  if (!call.is_allowed()) return {};
  const auto waited = life().device().wait(id(), serial, deadline);
  if (!waited && waited.error().code() != Errc::timeout) return life().report(waited.error());
  if (life().is_lost()) return waited;
  auto observed = observe_called(worklist);
  return waited ? observed : waited;
}

Result<bool> Observer::wait_rest(Deadline deadline) {
  std::uint64_t serial = 0;
  {
    const Locked locked = life().lock();
    if (!life().is_lost() && flights_.has_native()) serial = flights_.native();
  }
  if (serial != 0) PINTLE_TRY(wait_native(serial, deadline));
  return serial != 0;
}

std::uint64_t Observer::abandon(const Locked&) noexcept {
  abandoned_ = true;
  return flights_.has_native() ? flights_.native() : 0;
}

// The timeline fails first, so that a thread that a signal wakes finds the queue failed too.
void Observer::fail_points(std::uint64_t serial, const Error& error, Worklist& worklist) noexcept {
  if (!failed_) failed_ = error;
  timeline_->timeline().fail(error, worklist, serial);
  for (std::uint64_t left = flights_.last() - serial + 1; left > 0; --left) {
    Flight& failing = flights_[flights_.last() - left + 1];
    for (Raise& raise : failing.raises) {
      raise.signal->timeline().fail(error, worklist);
      raise.signal->forget(raise.promise);
    }
    if (!flights_.is_starting(failing.serial)) failing.raises.clear();
  }
}

void Observer::fail_from(std::uint64_t serial, const Error& error, Worklist& worklist, const Locked& locked) noexcept {
  drop_from(serial, error, worklist, locked);
  if (table_->has_dropped(locked)) table_->queues().dispose_finished(worklist, locked);
}

void Observer::drop_from(std::uint64_t serial, const Error& error, Worklist& worklist, const Locked& locked) noexcept {
  fail_points(serial, error, worklist);
  while (flights_.last() >= serial) {
    Flight* const dropped = flights_.drop_last();
    if (dropped == nullptr) break;
    dropped->clear(worklist);
  }
  go_if_over(worklist, locked);
}

void Observer::cancel_held(const Error& error, Worklist& worklist, const Locked& locked) noexcept {
  if (flights_.last() > flights_.undroppable()) drop_from(flights_.undroppable() + 1, error, worklist, locked);
}

void Observer::lose(const Error& error, Worklist& worklist, const Locked&) noexcept {
  fail_points(flights_.reached() + 1, error, worklist);
  for (std::uint64_t serial = flights_.reached() + 1; serial - 1 != flights_.last(); ++serial) {
    if (!flights_.is_starting(serial)) flights_[serial].clear(worklist);
  }
}

}  // namespace pintle::core
