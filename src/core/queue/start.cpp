// From an accepted submission to the backend: at once, or when the points that hold it have come.
#include <fmt/format.h>

#include <utility>

#include "base/contain.h"
#include "base/inside.h"
#include "core/door/describe.h"
#include "core/queue/queue_state.h"

namespace pintle::core {

// The queue of a native point, where it belongs to this device.
QueueState* QueueState::sibling_of(const NativePoint& point) const noexcept {
  auto* const queue = dynamic_cast<QueueState*>(point.queue.get());
  return queue != nullptr && queue->table_.get() == table_.get() ? queue : nullptr;
}

// What the backend itself waits for. A point that had a gate has been reached; any other point was bound to a
// submission.
Result<void> QueueState::collect_waits(const Flight& flight, const Locked& locked) {
  for (const Point& point : flight.waits) {
    const auto signal = Inside::signal(point);
    if (signal->timeline().status(point.value()) == PointStatus::failed) return signal->failure();
  }
  for (const Stamp& stamp : flight.bound) {
    const QueueClock* const clock = table_->clocks(locked).find(stamp.queue);
    if (clock == nullptr || clock == &clock_ || table_->clocks(locked).is_finished(stamp)) continue;
    native_waits_.push_back({clock->queue, stamp.serial});
    native_edges_.push_back(stamp);
  }
  table_->order(locked).reserve(native_edges_.size());
  return {};
}

// Gives the flight to the backend, without the lock. Where `is_simple`, nothing is left to do under the lock.
Result<void> QueueState::start(Flight& flight, Locked& locked, Aftermath& aftermath, bool is_simple) {
  native_waits_.clear();
  native_edges_.clear();
  if (!flight.waits.empty())
    PINTLE_TRY(base::contain("starting a submission", [&] { return collect_waits(flight, locked); }));
  const std::uint64_t serial = flight.serial;
  starting_.store(serial, std::memory_order_relaxed);
  locked.unlock();
  const auto answer = life().device().submit(id(), native_waits_, flight.commands);
  Result<void> started;
  if (!answer) started = life().report(answer.error(), aftermath.worklist);
  else if (*answer != serial) started = wrong_serial(*answer, serial);
  if (started && is_simple) {
    preparation_.forget();
    publish(serial, aftermath);
    return {};
  }
  locked.lock();
  if (!started) {
    starting_.store(0, std::memory_order_relaxed);
    return started;
  }
  for (const Stamp& edge : native_edges_) {
    table_->order(locked).add({number_, serial}, edge,
                              [&](const Stamp& stamp) { return table_->clocks(locked).is_finished(stamp); });
  }
  publish(serial, aftermath);
  keep_promises(flight, aftermath, locked);
  return {};
}

Error QueueState::wrong_serial(std::uint64_t answered, std::uint64_t expected) {
  return {Errc::internal, fmt::format("The backend answers serial ({}) where ({}) is next.", answered, expected)};
}

// From now on any thread that observes the queue may finish the flight.
void QueueState::publish(std::uint64_t serial, Aftermath& aftermath) noexcept {
  clock_.native.store(serial);  // before `has_waiters`; a waiter links itself before it looks at `native`
  starting_.store(0, std::memory_order_release);
  if (timeline_->timeline().has_waiters(serial)) aftermath.started = serial;
}

// The submission's signals come by themselves from now on, unless the queue has failed meanwhile.
void QueueState::keep_promises(Flight& flight, Aftermath& aftermath, const Locked&) noexcept {
  if (abandoned_) aftermath.started = flight.serial;
  if (life().is_lost()) return clear(flight, aftermath.worklist);
  if (timeline_->timeline().status(flight.serial) == PointStatus::failed) return flight.raises.clear();
  for (Raise& raise : flight.raises) {
    if (raise.signal->promise(raise.promise)) aftermath.started = flight.serial;
  }
}

void QueueState::run_deferred(Worklist& worklist) noexcept {
  for (bool has_started = true; has_started;) {
    Aftermath aftermath;
    const auto pumped = base::contain("starting what was held", [&]() -> Result<void> {
      has_started = pump_one(aftermath, worklist);
      see_to(aftermath);
      return {};
    });
    if (!pumped) has_started = false;
  }
  drive();
}

// Starts the first held submission, if it is ready. Where another thread has the turn, the queue is looked at after it.
bool QueueState::pump_one(Aftermath& aftermath, Worklist& worklist) {
  const Turn turn = life().try_turn(std::static_pointer_cast<QueueState>(shared_from_this()), worklist);
  if (!turn.is_taken()) return false;
  Locked locked = life().lock();
  if (life().is_lost()) return false;
  if (!has_held(locked)) return false;
  const std::uint64_t serial = clock_.native.load() + 1;
  if (const auto& hold = flight(serial).hold; hold && !hold->is_open()) return false;
  Flight& next = flight(serial);
  const auto looked = base::contain("looking at what is held", [&] { return hold_again(next, aftermath); });
  if (looked && next.hold) return false;
  if (const auto started = looked ? start(next, locked, aftermath, false) : looked; !started) {
    if (life().is_lost()) {  // the thread that noted the loss has left this submission alone
      clear(next, aftermath.worklist);
      return false;
    }
    fail_from(serial, explained(started.error(), [&] { return "starting a held submission of " + text_; }),
              aftermath.worklist, locked);
    return false;
  }
  if (next.is_lent || table_->queues().has_dropped(locked)) owe(serial, locked);
  return true;
}

void QueueState::fail_held(Worklist& worklist) noexcept {
  const Locked locked = life().lock();
  if (life().is_lost()) return;
  for (std::uint64_t serial = clock_.native.load() + 1; serial - 1 != clock_.last; ++serial) {
    const Flight& held = flight(serial);
    if (!held.hold || !held.hold->has_failed()) continue;
    for (const Point& point : held.waits) {
      const auto signal = Inside::signal(point);
      if (signal->timeline().status(point.value()) != PointStatus::failed) continue;
      return fail_from(serial, signal->failure(), worklist, locked);
    }
  }
}

}  // namespace pintle::core
