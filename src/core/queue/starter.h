// From an accepted submission to the backend: at once, or when the points that hold it have come.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/queue/observer.h"

namespace pintle::core {

/// Work left for the time when no lock is held.
struct Aftermath {
  Worklist worklist{};
  std::vector<Point> awaited{};  // by held submissions: to be watched
  std::uint64_t started = 0;     // a thread waits for it: to be watched
};

/// Gives a queue's submissions to the backend, in order. A submission that waits for points which no backend can wait
/// for is held, with all behind it. So a backend never gets a wait whose signal it has not seen.
///
/// A start has three steps, in the device's turn: `begin` under the lock, `give` without it, `end` under it again.
class Starter final : public Deferred {
 public:
  explicit Starter(Observer& queue) noexcept : queue_(queue) {}

  // With the lock held:
  /// Gives the flight a hold where it waits for a point that this device's backend cannot wait for. `invalid_argument`
  /// for a submission that would wait for itself.
  Result<void> hold(Flight& flight, Aftermath& aftermath, const Locked& locked);
  /// From now on no thread drops the flight. `native_waits_` may still be those of the flight before it.
  Result<void> begin(const Flight& flight, const Locked& locked) {
    if (!flight.waits.empty() || !native_waits_.empty()) PINTLE_TRY(collect_waits(flight, locked));
    queue_.flights().begin_start(flight.serial);
    return {};
  }
  void end(Flight& flight, Aftermath& aftermath, const Locked& locked) noexcept;

  /// Asks the backend, without the lock. The flight has not started where it is refused.
  Result<void> give(const Flight& flight, Worklist& worklist) {
    const auto answer = queue_.life().device().submit(queue_.id(), native_waits_, flight.commands);
    if (answer && *answer == flight.serial) [[likely]]
      return {};
    return refusal(answer, flight, worklist);
  }
  /// `end` for a flight that raises nothing and waits for nothing. From now on any thread may finish it.
  void end_simple(std::uint64_t serial, Aftermath& aftermath) noexcept {
    queue_.flights().end_start(serial);  // before `has_waiters`; a waiter links itself before it looks at `native`
    if (queue_.timeline()->timeline().has_waiters(serial)) aftermath.started = serial;
  }

  // These take the lock.
  /// Fails the first held submission whose wait has failed, and all after it.
  void fail_held(Worklist& worklist) noexcept;
  /// Starts what is held, as far as it can start.
  void pump(Worklist& worklist) noexcept { run_deferred(worklist); }
  /// Does the work that was found under the lock.
  void see_to(Aftermath& aftermath) {
    if (aftermath.started != 0 || !aftermath.awaited.empty() || !aftermath.worklist.empty()) see_to_all(aftermath);
  }
  /// Puts the queue on the worklist: what is held is looked at when no lock is held.
  void look_again(Worklist& worklist) noexcept { worklist.add(self()); }

 private:
  /// Fails held submissions. A failure needs no turn, unlike a start, so the thread that fails a signal does it itself
  /// and finds the queue failed afterwards.
  class Failing final : public Deferred {
   public:
    explicit Failing(Starter& starter) noexcept : starter_(starter) {}

   private:
    void run_deferred(Worklist& worklist) noexcept override { starter_.fail_held(worklist); }

    Starter& starter_;
  };

  void run_deferred(Worklist& worklist) noexcept override;
  [[nodiscard]] std::shared_ptr<Starter> self() noexcept { return {queue_.shared_from_this(), this}; }
  Result<void> hold_for(Flight& flight, const Point& point, Aftermath& aftermath, const Locked& locked);
  Result<void> hold_again(Flight& flight, Aftermath& aftermath, const Locked& locked);
  Result<void> collect_waits(const Flight& flight, const Locked& locked);
  [[nodiscard]] Error refusal(const Result<std::uint64_t>& answer, const Flight& flight, Worklist& worklist);
  void see_to_all(Aftermath& aftermath);
  bool pump_one(Aftermath& aftermath, Worklist& worklist);
  [[nodiscard]] Flight* begin_next(Aftermath& aftermath, const Locked& locked);
  void refuse(Flight& flight, const Error& error, Worklist& worklist, const Locked& locked) noexcept;

  Observer& queue_;
  Failing failing_{*this};
  std::vector<backend::QueuePoint> native_waits_;  // of the submission that is being started, in the device's turn
  std::vector<Stamp> native_edges_;                // as core names them
};

}  // namespace pintle::core
