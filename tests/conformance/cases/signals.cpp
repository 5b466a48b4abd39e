// Signals on their own: values, failures, waits, callbacks.
#include <array>
#include <atomic>
#include <coroutine>
#include <limits>
#include <thread>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

Error broken() { return {Errc::cancelled, "The experiment is called off."}; }

DEVICE_TEST(Signal, StartsWhereItIsTold) {
  Signal signal = test.signal("counter");
  CHECK_EQ(signal.value(), test.first());
  CHECK(need(test.at(signal, 0).is_reached()));
  CHECK(!need(test.at(signal, 1).is_reached()));
  CHECK(!signal.failure());
  need(test.raise(signal, 1));
  CHECK_EQ(signal.value(), test.first() + 1);
  CHECK(need(signal.is_reached(test.first() + 1)));
}

// Y2: a timeline never goes back, and says so.
DEVICE_TEST(Signal, NeverGoesBack) {
  Signal signal = test.signal("counter");
  need(test.raise(signal, 5));
  check_error(test.raise(signal, 4), Errc::invalid_argument,
              {std::to_string(test.first() + 4), std::to_string(test.first() + 5), "\"counter\""});
  check_ok(test.raise(signal, 5));
  CHECK_EQ(test.steps(signal), 5u);
  Queue queue = test.queue();
  check_error(queue.submit(CommandList{}, {.signal = {test.at(signal, 5)}}), Errc::invalid_argument, {"\"counter\""});
  check_error(queue.submit(CommandList{}, {.signal = {test.at(signal, 2)}}), Errc::invalid_argument, {"\"counter\""});
  CHECK_EQ(test.steps(signal), 5u);
}

DEVICE_TEST(Signal, OneValueMayBePromisedTwice) {
  Queue first = test.queue(), second = test.queue();
  Signal gate = test.signal(), done = test.signal();
  const Point late = need(first.submit(CommandList{}, {.after = {test.at(gate, 1)}, .signal = {test.at(done, 1)}}));
  need(second.submit(CommandList{}, {.signal = {test.at(done, 1)}}));
  test.finish(test.at(done, 1));
  CHECK(!need(late.is_reached()));
  need(test.raise(gate, 1));
  test.finish(late);
  CHECK_EQ(test.steps(done), 1u);
}

// Work that is held for something else is not kept by whoever promised first, once another queue has brought the value.
DEVICE_TEST(Signal, HeldWorkFollowsWhoeverBringsTheValue) {
  test.require(Feature::host_call);
  if (test.info().progress != Progress::own) test.not_applicable("a host call cannot wait for the thread that submits");
  Queue slow = test.queue("slow"), fast = test.queue("fast"), queue = test.queue();
  Signal gate = test.signal(), value = test.signal();
  std::atomic<bool> is_open{false};
  CommandList blocked;
  blocked.call([&] {
    while (!is_open) std::this_thread::yield();
  });
  const Point late = need(slow.submit(std::move(blocked), {.signal = {test.at(value, 1)}}));
  const Point held = need(queue.submit(CommandList{}, {.after = {test.at(value, 1), test.at(gate, 1)}}));
  need(fast.submit(CommandList{}, {.signal = {test.at(value, 2)}}));
  test.finish(test.at(value, 2));
  check_ok(test.raise(gate, 1));
  check_ok(held.wait(patience));
  CHECK(!need(late.is_reached()));
  is_open = true;
  test.finish(late);
}

DEVICE_TEST(Signal, CopiesShareTheTimeline) {
  Signal signal = test.signal();
  Signal copy = signal;
  need(test.raise(copy, 3));
  CHECK_EQ(test.steps(signal), 3u);
  need(test.at(signal, 3).signal().set(test.first() + 4));
  CHECK_EQ(test.steps(copy), 4u);
}

DEVICE_TEST(Signal, GoesToTheEndOfItsRange) {
  constexpr auto last = std::numeric_limits<std::uint64_t>::max();
  Signal signal = need(Signal::create(last - 1));
  Queue queue = test.queue();
  const Point end = need(queue.submit(CommandList{}, {.after = {signal.at(last)}}));
  check_error(signal.wait(last, moment), Errc::timeout, {std::to_string(last), std::to_string(last - 1)});
  need(signal.set(last));
  test.finish(end);
  CHECK(need(signal.is_reached(last)));
}

// Y3: nothing overflows, and zero is not for ever.
DEVICE_TEST(Signal, HugeAndZeroTimeoutsAreWhatTheySay) {
  Signal signal = test.signal("quiet");
  check_error(test.at(signal, 1).wait(Duration::zero()), Errc::timeout, {"\"quiet\""});
  check_error(test.at(signal, 1).wait(Duration(-5)), Errc::timeout, {"\"quiet\""});
  check_error(test.at(signal, 1).wait(std::chrono::hours::min()), Errc::timeout, {"\"quiet\""});
  need(test.raise(signal, 1));
  check_ok(test.at(signal, 1).wait(Timeout::infinite()));
  check_ok(test.at(signal, 1).wait(Duration::max()));
  check_ok(test.at(signal, 1).wait(std::chrono::hours::max()));
  check_ok(test.at(signal, 1).wait(std::chrono::duration<double>(1e300)));
}

DEVICE_TEST(Signal, TimeoutNamesWhatIsMissing) {
  Signal signal = test.signal("arrivals");
  check_error(test.at(signal, 7).wait(moment), Errc::timeout,
              {std::to_string(test.first() + 7), std::to_string(test.first()), "\"arrivals\""});
}

// The work goes on after a timeout, and the point may still be reached.
DEVICE_TEST(Signal, TimeoutOfAQueueNamesTheOldestUnfinished) {
  Queue queue = test.queue("stuck");
  Signal gate = test.signal("gate");
  const Buffer buffer = test.allocate(DType::u32, 4);
  need(queue.submit(CommandList{}.fill(buffer, 1u), {.after = {test.at(gate, 1)}, .label = "the oldest"}));
  const Point last = need(queue.submit(CommandList{}.fill(buffer, 2u)));
  check_error(last.wait(moment), Errc::timeout,
              {"[Queue", "\"stuck\"", std::to_string(last.value()), std::to_string(test.first()), "the oldest"});
  need(test.raise(gate, 1));
  test.finish(last);
}

DEVICE_TEST(Signal, FailureReachesEveryWaiter) {
  Signal signal = test.signal("doomed");
  need(test.raise(signal, 2));
  const Error cause = broken();
  need(signal.fail(cause));
  CHECK(need(test.at(signal, 2).is_reached()));
  check_ok(test.at(signal, 1).wait(moment));
  const auto waited = test.at(signal, 3).wait(moment);
  check_error(waited, Errc::cancelled, {"called off", "\"doomed\""});
  if (!waited) CHECK(waited.error().same_origin(cause));
  check_error(test.at(signal, 3).is_reached(), Errc::cancelled, {"called off"});
  CHECK(signal.failure().has_value() && signal.failure()->same_origin(cause));
  CHECK_EQ(test.steps(signal), 2u);
}

DEVICE_TEST(Signal, OnlyTheFirstFailureCounts) {
  Signal signal = test.signal();
  const Error first = broken();
  need(signal.fail(first));
  static_cast<void>(signal.fail(Error(Errc::io, "Something else.")));
  CHECK(signal.failure().has_value() && signal.failure()->same_origin(first));
  check_error(test.raise(signal, 1), Errc::cancelled, {"called off"});
  check_error(test.at(signal, 1).wait(moment), Errc::cancelled, {"called off"});
}

DEVICE_TEST(Error, MovedFromSignalIsRefused) {
  Signal signal = test.signal();
  const Signal kept = std::move(signal);
  CHECK_EQ(signal.value(), 0u);  // NOLINT(bugprone-use-after-move)
  CHECK(!signal.failure());
  check_error(signal.set(5), Errc::invalid_argument, {"Signal"});
  check_error(signal.fail(broken()), Errc::invalid_argument, {"Signal"});
  check_error(signal.wait(1, moment), Errc::invalid_argument);
  check_error(signal.is_reached(1), Errc::invalid_argument);
  CHECK_EQ(kept.value(), test.first());
}

DEVICE_TEST(Signal, WaitAllWaitsForAll) {
  Signal a = test.signal(), b = test.signal("late");
  const std::array points{test.at(a, 1), test.at(b, 2)};
  need(test.raise(a, 1));
  check_error(wait_all(points, moment), Errc::timeout, {"\"late\""});
  need(test.raise(b, 2));
  check_ok(wait_all(points, patience));
  check_ok(wait_all({}, Duration::zero()));
}

DEVICE_TEST(Signal, WaitAnyNamesTheOneReached) {
  Signal a = test.signal(), b = test.signal();
  const std::array points{test.at(a, 1), test.at(b, 1)};
  check_error(wait_any(points, moment), Errc::timeout);
  need(test.raise(b, 1));
  CHECK_EQ(need(wait_any(points, patience)), 1u);
  check_error(wait_any({}, Duration::zero()), Errc::invalid_argument);
}

DEVICE_TEST(Signal, WaitAnyAndAllTakeWorkOfTheDevice) {
  Queue first = test.queue(), second = test.queue();
  Signal gate = test.signal();
  const Point held = need(first.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  const Point free = need(second.submit(CommandList{}));
  const std::array points{held, free};
  CHECK_EQ(need(wait_any(points, patience)), 1u);
  need(test.raise(gate, 1));
  check_ok(wait_all(points, patience));
}

DEVICE_TEST(Signal, WaitAnyAndAllGiveTheFirstCause) {
  Signal a = test.signal(), b = test.signal();
  const Error cause = broken();
  need(b.fail(cause));
  const std::array points{test.at(a, 1), test.at(b, 1)};
  const auto all = wait_all(points, patience);
  const auto any = wait_any(points, patience);
  REQUIRE(!all && !any);
  CHECK(all.error().same_origin(cause) && any.error().same_origin(cause));
  const std::array with_empty{test.at(a, 0), Point()};
  check_error(wait_all(with_empty, moment), Errc::invalid_argument);
  check_error(wait_any(with_empty, moment), Errc::invalid_argument);
}

DEVICE_TEST(Signal, CallbackRunsOnceWhenReached) {
  Signal signal = test.signal();
  std::atomic<int> calls{0};
  std::atomic<bool> ok{false};
  need(test.at(signal, 2).then([&](const Result<void>& result) {
    ok = result.has_value();
    ++calls;
  }));
  need(test.raise(signal, 1));
  static_cast<void>(test.device().poll());
  CHECK_EQ(calls.load(), 0);
  need(test.raise(signal, 2));
  CHECK(test.eventually([&] { return calls.load() == 1; }));
  CHECK(ok.load());
  need(test.raise(signal, 3));
  static_cast<void>(test.device().poll());
  CHECK_EQ(calls.load(), 1);
}

// Y18: a callback that comes late still gets the value.
DEVICE_TEST(Signal, CallbackOfAReachedPointRuns) {
  Signal signal = test.signal();
  need(test.raise(signal, 9));
  std::atomic<int> calls{0};
  need(test.at(signal, 4).then([&](const Result<void>& result) { calls += result ? 1 : 100; }));
  CHECK(test.eventually([&] { return calls.load() == 1; }));
}

// Y17: a callback is told of failures and deadlines; it never just does not come.
DEVICE_TEST(Signal, CallbackHearsOfFailureAndDeadline) {
  Signal failing = test.signal(), silent = test.signal("silent");
  std::atomic<Errc> failed{}, late{};
  need(test.at(failing, 1).then([&](const Result<void>& result) {
    failed = result ? Errc::internal : result.error().code();
  }));
  need(test.at(silent, 1).then(
      [&](const Result<void>& result) { late = result ? Errc::internal : result.error().code(); }, moment));
  need(failing.fail(broken()));
  CHECK(test.eventually([&] { return failed.load() != Errc{} && late.load() != Errc{}; }));
  CHECK_EQ(failed.load(), Errc::cancelled);
  CHECK_EQ(late.load(), Errc::timeout);
}

DEVICE_TEST(Signal, CallbackOfWorkRuns) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 4);
  std::atomic<int> calls{0};
  const Point done = need(queue.submit(CommandList{}.fill(buffer, 1u)));
  need(done.then([&](const Result<void>& result) { calls += result ? 1 : 100; }));
  CHECK(test.eventually([&] { return calls.load() == 1; }));
}

DEVICE_TEST(Signal, CallbackMaySubmitMore) {
  Queue queue = test.queue();
  Signal gate = test.signal();
  std::atomic<int> state{0};
  need(test.at(gate, 1).then([&](const Result<void>&) { state = queue.submit(CommandList{}) ? 1 : 2; }));
  need(test.raise(gate, 1));
  CHECK(test.eventually([&] { return state.load() != 0; }));
  CHECK_EQ(state.load(), 1);
  test.finish(queue.last());
}

DEVICE_TEST(Signal, CallbackMayNotBlock) {
  Signal gate = test.signal(), never = test.signal("never");
  Queue queue = test.queue();
  const Point held = need(queue.submit(CommandList{}, {.after = {test.at(gate, 2)}}));
  std::atomic<int> done{0};
  need(test.at(gate, 1).then([&](const Result<void>&) {
    const std::array points{test.at(never, 1)};
    check_error(test.at(never, 1).wait(patience), Errc::invalid_argument, {"\"never\""});
    check_error(wait_all(points, patience), Errc::invalid_argument);
    check_error(wait_any(points, patience), Errc::invalid_argument);
    check_error(held.wait(patience), Errc::invalid_argument);
    check_error(test.device().wait_idle(patience), Errc::invalid_argument);
    check_ok(test.at(gate, 1).wait(patience));  // reached: nothing to block for
    done = 1;
  }));
  need(test.raise(gate, 1));
  CHECK(test.eventually([&] { return done.load() == 1; }));
  need(test.raise(gate, 2));
  test.finish(held);
}

DEVICE_TEST(Error, EmptyCallbackIsRefused) {
  Signal signal = test.signal();
  check_error(test.at(signal, 1).then(nullptr), Errc::invalid_argument);
}

/// A coroutine that starts at once and frees itself.
struct Detached {
  struct promise_type {
    Detached get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { record_failure("a coroutine throws", std::source_location::current()); }
  };
};

Detached await_both(Point first, Point second, std::atomic<int>& progress, std::atomic<Errc>& code) {
  const Result<void> one = co_await first;
  progress = one ? 1 : -1;
  const Result<void> two = co_await second;
  code = two ? Errc{} : two.error().code();
  progress = 2;
}

DEVICE_TEST(Signal, CoroutinesResume) {
  Signal first = test.signal(), second = test.signal();
  std::atomic<int> progress{0};
  std::atomic<Errc> code{Errc::internal};
  await_both(test.at(first, 1), test.at(second, 1), progress, code);
  CHECK_EQ(progress.load(), 0);
  need(test.raise(first, 1));
  CHECK(test.eventually([&] { return progress.load() == 1; }));
  need(second.fail(broken()));
  CHECK(test.eventually([&] { return progress.load() == 2; }));
  CHECK_EQ(code.load(), Errc::cancelled);
}

Detached await_one(Point point, std::atomic<int>& progress) {
  const Result<void> result = co_await point;
  progress = result ? 1 : -1;
}

DEVICE_TEST(Signal, CoroutinesAwaitWork) {
  Queue queue = test.queue();
  std::atomic<int> progress{0};
  await_one(need(queue.submit(CommandList{})), progress);
  CHECK(test.eventually([&] { return progress.load() == 1; }));
  std::atomic<int> refused{0};
  await_one(Point(), refused);
  CHECK(test.eventually([&] { return refused.load() == -1; }));
}

// Y1: no wake-up is lost, however the setter and the waiters meet; the waiters have no deadline to save them.
DEVICE_TEST(Signal, WaitersOfOtherThreadsAllWake) {
  constexpr std::uint64_t steps = 300;
  constexpr int waiters = 3;
  Signal signal = test.signal();
  std::atomic<std::uint64_t> arrived{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < waiters; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t step = 1; step <= steps; ++step) {
        check_ok(test.at(signal, step).wait(Timeout::infinite()));
        ++arrived;
      }
    });
  }
  for (std::uint64_t step = 1; step <= steps; ++step) need(test.raise(signal, step));
  threads.clear();
  CHECK_EQ(arrived.load(), steps * waiters);
}

// Y9: an error after the point was promised still answers everybody.
DEVICE_TEST(Signal, FailureWakesThreadsThatWait) {
  Signal signal = test.signal();
  std::atomic<int> failed{0};
  std::vector<std::jthread> threads;
  for (std::uint64_t i = 1; i <= 4; ++i) {
    threads.emplace_back([&, i] {
      const auto result = test.at(signal, i).wait(Timeout::infinite());
      if (check_error(result, Errc::cancelled, {"called off"})) ++failed;
    });
  }
  need(signal.fail(broken()));
  threads.clear();
  CHECK_EQ(failed.load(), 4);
}

}  // namespace
}  // namespace pintle::conformance
