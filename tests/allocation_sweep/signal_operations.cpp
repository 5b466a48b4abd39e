// Signals and points.
#include <array>
#include <atomic>
#include <memory>

#include "allocation_sweep/operations.h"

namespace pintle::allocation_sweep {
namespace {

Result<void> create(Run& run) {
  PINTLE_ASSIGN(signal, during([] { return Signal::create(1, words); }));
  run.check(signal.value() == 1);
  return {};
}

Result<void> value(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(raised, Signal::create());
  PINTLE_ASSIGN(done, run.keep(mine.queue.submit(CommandList{}.fill(mine.ones, 1u), {.signal = {raised.at(3)}})));
  run.check(during([&] { return raised.value(); }) <= 3);
  PINTLE_TRY(run.test().wait(done));
  run.check(run.test().eventually([&] { return raised.value() == 3; }));
  return {};
}

Result<void> failure(Run& run) {
  PINTLE_ASSIGN(signal, Signal::create());
  const Error cause(Errc::cancelled, words);
  PINTLE_TRY(during([&] { return signal.fail(cause); }));
  const auto known = during([&] { return signal.failure(); });
  run.check(known && known->same_origin(cause));
  return {};
}

Result<void> set_with_held_work(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(other, run.device().create_queue());
  const Point gate = run.test().at(mine.signal, 1);
  PINTLE_ASSIGN(first, run.keep(mine.queue.submit(CommandList{}.fill(mine.ones, 7u), {.after = {gate}})));
  PINTLE_ASSIGN(second, run.keep(other.submit(CommandList{}.fill(mine.twos, 7u), {.after = {gate}})));
  if (!run.attempt(during([&] { return run.test().raise(mine.signal, 1); })))
    PINTLE_TRY(run.test().raise(mine.signal, 1));
  PINTLE_TRY(run.test().wait(first));
  PINTLE_TRY(run.test().wait(second));
  return expect(run, mine.queue, mine.ones, 7);
}

Result<void> set_refused(Run& run) {
  PINTLE_ASSIGN(signal, Signal::create(5, words));
  run.check(!during([&] { return signal.set(4); }));
  run.check(signal.value() == 5);
  return {};
}

// A failure of the host's is no failure of memory: it is looked at here.
Result<void> fail_with_held_work(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(gate, Signal::create());
  PINTLE_ASSIGN(held, mine.queue.submit(CommandList{}.fill(mine.ones, 7u), {.after = {gate.at(1)}}));
  const Error cause(Errc::cancelled, words);
  const auto failed = during([&] { return gate.fail(cause); });
  if (!failed) PINTLE_TRY(gate.fail(cause));
  const auto waited = run.test().wait(held);
  run.check(!waited && waited.error().same_origin(cause));
  PINTLE_ASSIGN(fresh, run.device().create_queue());
  PINTLE_TRY(expect(run, fresh, mine.ones, 1));
  return failed;
}

Result<void> is_reached(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(done, run.keep(mine.queue.submit(CommandList{}.fill(mine.ones, 3u))));
  return outcome(during([&] { return done.is_reached(); }));
}

Result<void> wait(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(done, run.keep(mine.queue.submit(CommandList{}.fill(mine.ones, 3u))));
  if (run.test().is_driven()) return {};
  return during([&] { return done.wait(patience); });
}

Result<void> wait_in_vain(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(held, run.keep(mine.queue.submit(CommandList{}.label(words).fill(mine.ones, 3u),
                                                 {.after = {run.test().at(mine.signal, 1)}})));
  run.check(!during([&] { return held.wait(std::chrono::milliseconds(1)); }));
  return {};
}

Result<void> wait_for_all(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(done, run.keep(mine.queue.submit(CommandList{}.fill(mine.ones, 3u))));
  const std::vector<Point> points{done, run.test().at(mine.signal, 0), mine.queue.last()};
  if (run.test().is_driven()) return {};
  return during([&] { return wait_all(points, patience); });
}

Result<void> wait_for_any(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  PINTLE_ASSIGN(done, run.keep(mine.queue.submit(CommandList{}.call([] {}).fill(mine.ones, 3u))));
  const std::vector<Point> points{run.test().at(mine.signal, 1), done};
  if (run.test().is_driven()) return {};
  PINTLE_ASSIGN(which, during([&] { return wait_any(points, patience); }));
  run.check(which == 1);
  return {};
}

// A callback that is not registered is not called.
Result<void> then(Run& run) {
  PINTLE_ASSIGN(mine, world(run));
  const auto calls = std::make_shared<std::atomic<int>>(0);
  const Point point = run.test().at(mine.signal, 1);
  const std::function<void(const Result<void>&)> callback = [calls](const Result<void>&) { ++*calls; };
  const auto registered = during([&] { return point.then(callback, patience); });
  PINTLE_TRY(run.test().raise(mine.signal, 1));
  if (registered) run.expect(calls);
  const auto marker = std::make_shared<std::atomic<int>>(0);  // comes behind the other
  PINTLE_TRY(point.then([marker](const Result<void>&) { ++*marker; }, patience));
  run.expect(marker);
  run.check(run.test().eventually([&] { return marker->load() == 1; }));
  run.check(calls->load() <= (registered ? 1 : 0));
  return registered;
}

}  // namespace

std::span<const Scenario> signal_operations() {
  static constexpr std::array<Scenario, 12> all{{{"Signal_create", create},
                                                 {"Signal_value", value},
                                                 {"Signal_failure", failure},
                                                 {"Signal_set_with_held_work", set_with_held_work},
                                                 {"Signal_set_refused", set_refused},
                                                 {"Signal_fail_with_held_work", fail_with_held_work},
                                                 {"Point_is_reached", is_reached},
                                                 {"Point_wait", wait},
                                                 {"Point_wait_in_vain", wait_in_vain},
                                                 {"wait_all", wait_for_all},
                                                 {"wait_any", wait_for_any},
                                                 {"Point_then", then}}};
  return all;
}

}  // namespace pintle::allocation_sweep
