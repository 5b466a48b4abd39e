// From the backend's progress to the waiters.
#include "core/queue/queue_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/contain.h"
#include "base/inside.h"
#include "core/door/describe.h"
#include "core/list/list_state.h"
#include "core/time/coming.h"
#include "core/time/reactor.h"
#include "kit/verdict.h"

namespace pintle::core {
namespace {

/// The words of a timeout: what the first pending point waits for.
std::string describe_lack(std::span<const Point> waits) {
  for (const Point& point : waits) {
    const SignalState& signal = *Inside::signal(point).get();
    if (signal.timeline().status(point.value()) != PointStatus::pending) continue;
    const std::vector<NativePoint> promised = signal.promised(point.value());
    return fmt::format("value ({}) of {} is reached; the value reached there is ({}), and {}", point.value(),
                       signal.text(), signal.timeline().value(),
                       promised.empty() ? std::string("nobody has submitted or set it")
                                        : promised.front().queue->text() + " has a submission that is to bring it");
  }
  return "what it waits for is reached";
}

}  // namespace

QueueState::QueueState(std::shared_ptr<BufferTable> table, backend::QueueId id, QueueKind kind,
                       std::uint64_t first_serial, std::string text)
    : table_(std::move(table)),
      kind_(kind),
      text_(std::move(text)),
      preparation_(*table_),
      has_verdicts_(life().info().capability(Feature::bounds).support != Support::absent),
      newest_(first_serial) {
  clock_.queue = id;
  clock_.reached = clock_.last = first_serial;
  clock_.native = first_serial;
}

void QueueState::begin(const Locked& locked) {
  timeline_ = std::make_shared<SignalState>(std::weak_ptr<Observable>(shared_from_this()), clock_.last, text_);
  clock_.timeline = timeline_;
  number_ = table_->clocks(locked).add(clock_);
}

Point QueueState::last() {
  const Locked locked = life().lock();
  return SignalState::point(timeline_, newest_);
}

std::string QueueState::describe_oldest() {
  std::vector<Point> waits;
  std::string words = describe_oldest(waits);
  if (!waits.empty()) words += ", which is held until " + describe_lack(waits);  // with no lock held
  return words;
}

/// Where the oldest submission is held, `waits` gets the points that it waits for.
std::string QueueState::describe_oldest(std::vector<Point>& waits) {
  const Locked locked = life().lock();
  if (is_idle(locked)) return fmt::format("{} of {} has nothing submitted that is unfinished", text_, life().text());
  const Flight& oldest = flight(clock_.reached + 1);
  const backend::Commands& commands = oldest.commands;
  std::string words =
      fmt::format("the oldest unfinished submission of {} of {} is ({})", text_, life().text(), oldest.serial);
  if (!oldest.label.empty()) words += fmt::format(" \"{}\"", oldest.label);
  if (oldest.serial > clock_.native.load()) {
    waits = oldest.waits;
    return words;
  }
  if (!commands.commands.empty()) {
    const backend::Command& first = commands.commands.front();
    words += fmt::format(", which begins with {}", backend::name(first.operation));
    if (first.label != nullptr) words += fmt::format(" \"{}\"", first.label);
  }
  return words;
}

void QueueState::forget_watched() noexcept {
  if (!is_watching_.load(std::memory_order_relaxed)) return;
  std::lock_guard lock(watch_mutex_);
  std::erase_if(watched_, [this](std::uint64_t serial) { return serial <= clock_.reached; });
  is_watching_.store(!watched_.empty(), std::memory_order_relaxed);
}

// A serial may have several waiters, and the backend is asked once. Where there is no memory to remember the first
// request, the backend is asked again.
void QueueState::watch(std::uint64_t serial) noexcept {
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

Result<void> QueueState::notify(std::uint64_t serial, backend::Notification notification) {
  const Call call(*this);
  if (!call.is_allowed()) return Error(Errc::unsupported, "The queue has ended.");
  return life().device().notify(id(), serial, notification);
}

// A queue that was to go while calls were running goes with the last of these calls.
void QueueState::dispose_ended() noexcept {
  Worklist worklist;
  const Locked locked = life().lock();
  table_->queues().dispose_finished(worklist, locked);
}

void QueueState::look_after(std::uint64_t serial) noexcept { owe(serial, life().lock()); }

// The reactor is told under the lock, which is what keeps its list and `is_looked_after_` together.
void QueueState::owe(std::uint64_t serial, const Locked&) noexcept {
  serial = std::min(serial, clock_.native.load(std::memory_order_relaxed));
  if (is_driven() || serial <= clock_.reached) return;
  owed_ = std::max(owed_, serial);
  if (!std::exchange(is_looked_after_, true)) Reactor::instance().look_after(shared_from_this());
}

void QueueState::looked_after() noexcept {
  const Locked locked = life().lock();
  is_looked_after_ = false;
  if (!life().is_lost()) owe(owed_, locked);
}

Result<void> QueueState::observe(Worklist& worklist) {
  const Call call(*this);
  if (!call.is_allowed() || life().is_lost()) return {};
  return observe_called(worklist);
}

Result<void> QueueState::observe_called(Worklist& worklist) {
  const auto reached = life().device().reached(id());
  if (!reached) return life().report(reached.error());
  std::vector<std::shared_ptr<QueueState>> before;  // destroyed without the lock
  Locked locked = life().lock();
  const bool is_known = try_add_before(*reached, before, locked);
  if (!is_known || !before.empty()) {
    locked.unlock();
    PINTLE_TRY(is_known ? observe_before(before) : table_->queues().ask_all());
    locked.lock();
  }
  if (*reached <= clock_.reached || life().is_lost()) return {};
  finish_up_to(std::min(*reached, clock_.native.load()), worklist, locked);
  return {};
}

// A backend may deliver a queue's downloads only when that queue is asked. The work that the finished work waited for
// is finished too, on any queue, and a caller that hears of this point relies on that work's bytes.
Result<void> QueueState::observe_before(std::vector<std::shared_ptr<QueueState>>& before) {
  for (std::size_t next = 0; next < before.size(); ++next) {
    QueueState& queue = *before[next];
    const Call call(queue);
    if (!call.is_allowed()) continue;
    const auto its = life().device().reached(queue.id());
    if (!its) return life().report(its.error());
    Locked locked = life().lock();
    if (queue.try_add_before(*its, before, locked)) continue;
    locked.unlock();
    return table_->queues().ask_all();
  }
  return {};
}

Result<void> QueueState::ask() {
  const Call call(*this);
  if (!call.is_allowed()) return {};
  const auto its = life().device().reached(id());
  return its ? Result<void>() : life().report(its.error());
}

/// False where there is no memory for the queues.
bool QueueState::try_add_before(std::uint64_t reached, std::vector<std::shared_ptr<QueueState>>& before,
                                const Locked& locked) noexcept {
  return base::contain_or(false, [&] {
    add_before(reached, before, locked);
    return true;
  });
}

/// Adds the queues that newly finished work has waited for.
void QueueState::add_before(std::uint64_t reached, std::vector<std::shared_ptr<QueueState>>& before,
                            const Locked& locked) {
  const std::uint64_t newest = std::min(reached, clock_.native.load());
  for (std::uint64_t serial = clock_.reached; serial < newest;) {  // never beyond the last of all serials
    const Flight& finished = flight(++serial);
    if (finished.is_plain) continue;
    for (const Stamp& stamp : finished.bound) add_before(stamp, before, locked);
  }
}

void QueueState::add_before(const Stamp& stamp, std::vector<std::shared_ptr<QueueState>>& before,
                            const Locked& locked) {
  const QueueClock* const clock = table_->clocks(locked).find(stamp.queue);
  const auto native = clock != nullptr ? clock->timeline->native_point(stamp.serial) : std::nullopt;
  QueueState* const sibling = native ? sibling_of(*native) : nullptr;
  if (sibling == nullptr || sibling == this) return;
  auto queue = std::static_pointer_cast<QueueState>(native->queue);
  if (std::ranges::find(before, queue) == before.end()) before.push_back(std::move(queue));
}

void QueueState::finish_up_to(std::uint64_t reached, Worklist& worklist, const Locked& locked) noexcept {
  while (clock_.reached < reached) {
    Flight& next = flight(clock_.reached + 1);
    finish(next, worklist, locked);
    ++clock_.reached;
  }
  worklist.begin_letting_go(timeline_->letting_go());
  timeline_->timeline().raise(clock_.reached, worklist);
  forget_watched();
  table_->queues().dispose_finished(worklist, locked);
  go_if_over(worklist, locked);
}

void QueueState::go_if_over(Worklist& worklist, const Locked& locked) noexcept {
  if (!abandoned_ || is_over_ || !(life().is_lost() || is_idle(locked))) return;
  is_over_ = true;
  table_->queues().end(*this, worklist, locked);
}

void QueueState::finish(Flight& flight, Worklist& worklist, const Locked& locked) noexcept {
  if (flight.is_plain && !has_verdicts_) return clear(flight, worklist);
  std::optional<Error> error = verdict_on(flight.serial);
  const auto ask = [&](HostRun& run) {
    if (auto thrown = run.take_error(); thrown && !error) error = std::move(thrown);
  };
  if (const ListState* const list = Inside::state(flight.list)) {
    for (HostRun* const run : list->host_runs) ask(*run);
  }
  for (std::size_t i = 0; i < flight.run_count; ++i) ask(flight.runs[i]);
  if (error) {
    timeline_->timeline().raise(flight.serial - 1, worklist);
    fail_from(flight.serial,
              explained(*error, [&] { return fmt::format("running submission ({}) of {}", flight.serial, text_); }),
              worklist, locked);
  }
  for (Raise& raise : flight.raises) raise.keep(worklist);
  clear(flight, worklist);
}

/// Why a submission has failed though its device goes on.
std::optional<Error> QueueState::verdict_on(std::uint64_t serial) noexcept {
  if (!has_verdicts_) return std::nullopt;
  kit::Verdict verdict{id(), serial};
  static_cast<void>(life().device().native(kit::Verdict::native_type, 0, &verdict));
  return std::move(verdict.error);
}

void QueueState::clear(Flight& flight, Worklist& worklist) noexcept {
  flight.hold.reset();
  if (!flight.bindings.empty()) flight.bindings.clear();
  if (std::exchange(flight.is_plain, true)) return;
  flight.is_lent = false;
  flight.raises.clear();
  flight.bound.clear();
  flight.waits.clear();
  flight.label.clear();
  flight.refused.reset();
  flight.runs.reset();
  flight.run_count = 0;
  if (ListState* const list = Inside::state(flight.list)) {
    worklist.bury(std::move(list->retained));
    flight.list = CommandList();
  }
}

Result<void> QueueState::wait_native(std::uint64_t serial, Deadline deadline) {
  Worklist worklist;
  const Call call(*this);
  if (!call.is_allowed()) return {};
  const auto waited = life().device().wait(id(), serial, deadline);
  if (!waited && waited.error().code() != Errc::timeout) return life().report(waited.error());
  if (life().is_lost()) return waited;
  auto observed = observe_called(worklist);
  return waited ? observed : waited;
}

Result<bool> QueueState::wait_rest(Deadline deadline) {
  std::optional<std::uint64_t> serial;
  {
    const Locked locked = life().lock();
    const std::uint64_t native = clock_.native.load();
    if (!life().is_lost() && native > clock_.reached) serial = native;
  }
  if (serial) PINTLE_TRY(wait_native(*serial, deadline));
  return serial.has_value();
}

bool QueueState::add_waits(std::uint64_t serial, std::vector<Point>& points) {
  const Locked locked = life().lock();
  if (serial > clock_.last) return false;
  if (is_native(serial)) return true;
  const Flight& held = flight(serial);
  points.insert(points.end(), held.waits.begin(), held.waits.end());
  if (!is_native(serial - 1)) points.push_back(SignalState::point(timeline_, serial - 1));
  return true;
}

bool QueueState::has_rest() {
  const Locked locked = life().lock();
  return !life().is_lost() && clock_.native.load() > clock_.reached;
}

bool QueueState::add_first_held(std::vector<Point>& points) {
  const Locked locked = life().lock();
  if (life().is_lost() || !has_held(locked)) return false;
  const Flight& first = flight(clock_.native.load() + 1);
  points.insert(points.end(), first.waits.begin(), first.waits.end());
  return true;
}

bool QueueState::wait_held(const std::vector<Point>& points, Deadline deadline) {
  for (const Point& point : points) static_cast<void>(Inside::signal(point)->wait(point.value(), deadline));
  Worklist worklist;  // the thread that was told of a failure first may be late
  fail_held(worklist);
  run_deferred(worklist);
  return Clock::now() < deadline;
}

std::uint64_t QueueState::abandon(const Locked&) noexcept {
  abandoned_ = true;
  const std::uint64_t native = clock_.native.load();
  return native > clock_.reached ? native : 0;
}

// The timeline fails first, so that a thread that a signal wakes finds the queue failed too.
void QueueState::fail_points(std::uint64_t serial, const Error& error, Worklist& worklist) noexcept {
  if (!failed_) failed_ = error;
  timeline_->timeline().fail(error, worklist, serial);
  for (std::uint64_t left = clock_.last - serial + 1; left > 0; --left) {
    Flight& failing = flight(clock_.last - left + 1);
    for (Raise& raise : failing.raises) {
      raise.signal->timeline().fail(error, worklist);
      raise.signal->forget(raise.promise);
    }
    if (failing.serial != starting_) failing.raises.clear();
  }
}

// Every submission from `serial` on fails. Those that no backend has are dropped.
void QueueState::fail_from(std::uint64_t serial, const Error& error, Worklist& worklist,
                           const Locked& locked) noexcept {
  fail_points(serial, error, worklist);
  while (clock_.last > undroppable() && clock_.last >= serial) clear(flight(clock_.last--), worklist);
  if (table_->queues().has_dropped(locked)) table_->queues().dispose_finished(worklist, locked);
  go_if_over(worklist, locked);
}

void QueueState::cancel_held(const Error& error, Worklist& worklist, const Locked& locked) noexcept {
  if (clock_.last > undroppable()) fail_from(undroppable() + 1, error, worklist, locked);
}

void QueueState::lose(const Error& error, Worklist& worklist, const Locked&) noexcept {
  fail_points(clock_.reached + 1, error, worklist);
  for (std::uint64_t serial = clock_.reached + 1; serial - 1 != clock_.last; ++serial) {
    if (serial != starting_) clear(flight(serial), worklist);
  }
}

}  // namespace pintle::core
