#include "core/queue/starter.h"

#include <fmt/format.h>

#include "base/contain.h"
#include "base/inside.h"
#include "core/door/describe.h"

namespace pintle::core {

Result<void> Starter::hold(Flight& flight, Aftermath& aftermath, const Locked& locked) {
  for (const Point& point : flight.waits) {
    if (Inside::signal(point).get() == queue_.timeline().get() && point.value() >= flight.serial) {
      return invalid(fmt::format("Submission ({}) of {} would wait for value ({}) of its own queue.", flight.serial,
                                 queue_.text(), point.value()));
    }
  }
  for (const Point& point : flight.waits) PINTLE_TRY(hold_for(flight, point, aftermath, locked));
  // A hold whose points were all over when it was made is never told anything. A failed one is kept: the queue has been
  // told of the failure.
  if (flight.hold && !flight.hold->has_failed() && flight.hold->is_open()) flight.hold.reset();
  return {};
}

Result<void> Starter::hold_for(Flight& flight, const Point& point, Aftermath& aftermath, const Locked& locked) {
  const auto signal = Inside::signal(point);
  const PointStatus status = signal->timeline().status(point.value());
  if (status == PointStatus::failed && !flight.refused) flight.refused = signal->failure();
  if (status != PointStatus::pending || signal == queue_.timeline()) return {};
  if (const auto native = signal->native_point(point.value(), &queue_)) {
    if (const Observer* const sibling = queue_.sibling_of(*native)) {
      if (sibling != &queue_) {
        flight.bound.push_back({sibling->number(), native->serial});
        queue_.note_bound(flight.serial, locked);
      }
      if (sibling != &queue_ || native->serial < flight.serial) return {};
    }
  }
  if (!flight.hold) flight.hold = std::make_unique<Hold>(self(), std::shared_ptr<Failing>(self(), &failing_));
  if (flight.hold->add(signal, point.value())) aftermath.awaited.push_back(point);
  return {};
}

// Since acceptance another queue may have brought or promised a point.
Result<void> Starter::hold_again(Flight& flight, Aftermath& aftermath, const Locked& locked) {
  flight.hold.reset();
  flight.bound.clear();
  for (const Point& point : flight.waits) PINTLE_TRY(hold_for(flight, point, aftermath, locked));
  if (flight.hold && flight.hold->is_open()) flight.hold.reset();
  return {};
}

// What the backend itself waits for. A point that had a gate has been reached; any other point was bound to a
// submission.
Result<void> Starter::collect_waits(const Flight& flight, const Locked& locked) {
  return base::contain("starting a submission", [&]() -> Result<void> {
    native_waits_.clear();
    native_edges_.clear();
    for (const Point& point : flight.waits) {
      const auto signal = Inside::signal(point);
      if (signal->timeline().status(point.value()) == PointStatus::failed) return signal->failure();
    }
    Clocks& clocks = queue_.table().clocks(locked);
    for (const Stamp& stamp : flight.bound) {
      const QueueClock* const clock = clocks.find(stamp.queue);
      if (clock == nullptr || stamp.queue == queue_.number() || clocks.is_finished(stamp)) continue;
      native_waits_.push_back({clock->queue, stamp.serial});
      native_edges_.push_back(stamp);
    }
    queue_.table().order(locked).reserve(native_edges_.size());
    return {};
  });
}

/// Why the backend has not taken the flight.
Error Starter::refusal(const Result<std::uint64_t>& answer, const Flight& flight, Worklist& worklist) {
  if (!answer) return queue_.life().report(answer.error(), worklist);
  return Error(Errc::internal,
               fmt::format("The backend answers serial ({}) where ({}) is next.", *answer, flight.serial));
}

// The submission's signals come by themselves from now on, unless the queue has failed meanwhile.
void Starter::end(Flight& flight, Aftermath& aftermath, const Locked& locked) noexcept {
  const Clocks& clocks = queue_.table().clocks(locked);
  for (const Stamp& edge : native_edges_) {
    queue_.table().order(locked).add({queue_.number(), flight.serial}, edge,
                                     [&](const Stamp& stamp) { return clocks.is_finished(stamp); });
  }
  end_simple(flight.serial, aftermath);
  if (queue_.is_abandoned(locked)) aftermath.started = flight.serial;
  if (queue_.life().is_lost()) return flight.clear(aftermath.worklist);
  if (queue_.timeline()->timeline().status(flight.serial) == PointStatus::failed) return flight.raises.clear();
  for (Raise& raise : flight.raises) {
    if (raise.signal->promise(raise.promise)) aftermath.started = flight.serial;
  }
}

void Starter::see_to_all(Aftermath& aftermath) {
  if (aftermath.started != 0) queue_.watch(aftermath.started);
  for (const Point& point : aftermath.awaited) Inside::signal(point)->watch(point.value());
  aftermath.worklist.run();
}

void Starter::run_deferred(Worklist& worklist) noexcept {
  for (bool has_started = true; has_started;) {
    Aftermath aftermath;
    const auto pumped = base::contain("starting what was held", [&]() -> Result<void> {
      has_started = pump_one(aftermath, worklist);
      see_to(aftermath);
      return {};
    });
    if (!pumped) has_started = false;
  }
  queue_.drive();
}

// Starts the first held submission, if it is ready. Where another thread has the turn, the queue is looked at after it.
bool Starter::pump_one(Aftermath& aftermath, Worklist& worklist) {
  const Turn turn = queue_.life().try_turn(self(), worklist);
  if (!turn.is_taken()) return false;
  Flight* next = nullptr;
  {
    const Locked locked = queue_.life().lock();
    next = begin_next(aftermath, locked);
  }
  if (next == nullptr) return false;
  const auto given = give(*next, aftermath.worklist);
  const Locked locked = queue_.life().lock();
  if (!given) {
    queue_.flights().give_up_start();
    refuse(*next, given.error(), aftermath.worklist, locked);
    return false;
  }
  end(*next, aftermath, locked);
  if (next->is_lent || queue_.table().has_dropped(locked)) queue_.owe(next->serial, locked);
  return true;
}

/// Begins to start the first held submission; null where none is ready.
Flight* Starter::begin_next(Aftermath& aftermath, const Locked& locked) {
  InFlight& flights = queue_.flights();
  if (queue_.life().is_lost() || !flights.has_held()) return nullptr;
  Flight& next = flights[flights.native() + 1];
  if (next.hold && !next.hold->is_open()) return nullptr;
  auto begun = base::contain("looking at what is held", [&] { return hold_again(next, aftermath, locked); });
  if (begun && next.hold) return nullptr;
  if (begun) begun = begin(next, locked);
  if (begun) return &next;
  refuse(next, begun.error(), aftermath.worklist, locked);
  return nullptr;
}

// A thread that notes a loss leaves the submission that is being started alone.
void Starter::refuse(Flight& flight, const Error& error, Worklist& worklist, const Locked& locked) noexcept {
  if (queue_.life().is_lost()) return flight.clear(worklist);
  queue_.fail_from(flight.serial, explained(error, [&] { return "starting a held submission of " + queue_.text(); }),
                   worklist, locked);
}

void Starter::fail_held(Worklist& worklist) noexcept {
  const Locked locked = queue_.life().lock();
  if (queue_.life().is_lost()) return;
  InFlight& flights = queue_.flights();
  for (std::uint64_t serial = flights.native() + 1; serial - 1 != flights.last(); ++serial) {
    const Flight& held = flights[serial];
    if (!held.hold || !held.hold->has_failed()) continue;
    for (const Point& point : held.waits) {
      const auto signal = Inside::signal(point);
      if (signal->timeline().status(point.value()) != PointStatus::failed) continue;
      return queue_.fail_from(serial, signal->failure(), worklist, locked);
    }
  }
}

}  // namespace pintle::core
