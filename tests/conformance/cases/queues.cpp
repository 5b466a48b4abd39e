// Queues: order, their own timelines, room, lifetime.
#include <algorithm>
#include <atomic>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

// Y6: kernels, waits and signals are all carried out, in order. No two steps commute.
DEVICE_TEST(Order, SubmissionsOfAQueueRunInOrder) {
  test.require_bytes();
  Queue queue = test.queue();
  const Kernel affine = test.kernel("affine");
  const Buffer buffer = test.buffer(Words(300, 1));
  std::uint32_t expected = 1;
  for (std::uint32_t i = 0; i < 100; ++i) {
    need(queue.submit(CommandList{}.exec(affine, Grid::cover(300), buffer, 5u, i, 300u)));
    expected = expected * 5 + i;
  }
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words(300, expected));
}

DEVICE_TEST(Order, HostCallsOfAQueueRunInOrder) {
  test.require(Feature::host_call);
  Queue queue = test.queue();
  std::vector<int> seen;
  for (int i = 0; i < 50; ++i) need(queue.submit(CommandList{}.call([&seen, i] { seen.push_back(i); })));
  test.finish(queue.last());
  CHECK_EQ(seen, ramp<int>(50));
}

DEVICE_TEST(Queue, FreshOneHasReachedItsLastPoint) {
  const Queue queue = test.queue();
  CHECK(need(queue.last().is_reached()));
  check_ok(queue.last().wait(Duration::zero()));
  CHECK_EQ(queue.last().value(), test.first());
}

DEVICE_TEST(Queue, TimelineRisesByOnePerSubmission) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 4);
  for (std::uint64_t i = 1; i <= 20; ++i) {
    const Point point = need(queue.submit(CommandList{}.fill(buffer, 1u)));
    CHECK_EQ(point.value(), test.first() + i);
    CHECK_EQ(queue.last().value(), point.value());
  }
  test.finish(queue.last());
  CHECK_EQ(queue.last().signal().value(), test.first() + 20);
}

DEVICE_TEST(Queue, SaysItsName) {
  const Queue queue = test.queue("uploads");
  CHECK(queue.text().starts_with("[Queue "));
  CHECK(queue.text().ends_with("\"uploads\"]"));
}

// Counters end at 2^64 - 1; a queue that gets there says so and never wraps.
DEVICE_TEST(Queue, EndsWithItsLastSerial) {
  constexpr std::uint64_t last = ~std::uint64_t{0};
  if (last - test.first() > 5000) test.not_applicable("counters start far from 2^64; PINTLE_FIRST_SERIAL moves them");
  Queue queue = test.queue("long lived");
  while (queue.last().value() != last) {
    need(queue.submit(CommandList{}));
    if (queue.last().value() % 64 == 0) test.finish(queue.last());
  }
  test.finish(queue.last());
  check_error(queue.submit(CommandList{}), Errc::unsupported, {"18446744073709551615", "\"long lived\""});
  CHECK_EQ(queue.last().value(), last);
}

DEVICE_TEST(Queue, SubmitAndWaitReturnsWhenDone) {
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 4);
  need(queue.submit_and_wait(CommandList{}.fill(buffer, 3u), patience));
  CHECK(need(queue.last().is_reached()));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), Words(4, 3));
}

DEVICE_TEST(Queue, FluentFormReadsAsItBehaves) {
  test.require_bytes();
  Queue queue = test.queue();
  Signal ready = test.signal(), done = test.signal();
  const Buffer a = test.buffer(Words{1, 2, 3}), b = test.allocate(DType::u32, 3), c = test.allocate(DType::u32, 3);
  Words result(3);
  need(queue.after(test.at(ready, 1))
           .label("step")
           .exec(test.kernel("add_to"), Grid{1}, a, b, 10u, 3u)
           .copy(c, b)
           .barrier()
           .download(result, c)
           .signal(test.at(done, 2))
           .submit());
  CHECK(!need(test.at(done, 2).is_reached()));
  need(test.raise(ready, 1));
  test.finish(test.at(done, 2));
  CHECK_EQ(result, (Words{11, 12, 13}));
  need(queue.begin().upload(a, Words{7, 8, 9}).submit());
  CHECK_EQ(test.read<std::uint32_t>(queue, a), (Words{7, 8, 9}));
}

DEVICE_TEST(Error, EmptyAndMovedFromQueuesAreRefused) {
  Queue source = test.queue();
  Queue kept = std::move(source);
  Queue empty;
  for (Queue* nothing : {&source, &empty}) {  // NOLINT(bugprone-use-after-move)
    check_error(nothing->submit(CommandList{}), Errc::invalid_argument, {"Queue"});
    check_error(nothing->replay(Recording()), Errc::invalid_argument);
    check_error(nothing->submit_and_wait(CommandList{}, moment), Errc::invalid_argument);
    check_error(nothing->begin().submit(), Errc::invalid_argument);
    check_error(nothing->last().wait(moment), Errc::invalid_argument);
    check_error(nothing->last().is_reached(), Errc::invalid_argument);
  }
  check_ok(kept.submit(CommandList{}));
}

DEVICE_TEST(Error, EmptyPointsAreRefused) {
  Queue queue = test.queue();
  check_error(queue.submit(CommandList{}, {.after = {Point()}}), Errc::invalid_argument, {"Point"});
  check_error(queue.submit(CommandList{}, {.signal = {Point()}}), Errc::invalid_argument, {"Point"});
  check_error(Point().wait(moment), Errc::invalid_argument, {"Point"});
  check_error(Point().is_reached(), Errc::invalid_argument, {"Point"});
  check_error(Point().then([](const Result<void>&) {}), Errc::invalid_argument, {"Point"});
}

DEVICE_TEST(Error, QueueTimelinesAreRaisedByTheirQueueOnly) {
  Queue first = test.queue("owner"), second = test.queue();
  const Point point = first.last();
  check_error(second.submit(CommandList{}, {.signal = {point.signal().at(point.value() + 1)}}), Errc::invalid_argument,
              {"\"owner\""});
  check_error(point.signal().set(point.value() + 1), Errc::invalid_argument, {"\"owner\""});
  check_error(point.signal().fail(Error(Errc::cancelled, "No more.")), Errc::invalid_argument, {"\"owner\""});
}

// Y8: a submission that would wait for itself is refused, not hung.
DEVICE_TEST(Error, WaitForItselfIsRefused) {
  Queue queue = test.queue("narcissus");
  const Point next = queue.last().signal().at(queue.last().value() + 1);
  check_error(queue.submit(CommandList{}, {.after = {next}}), Errc::invalid_argument,
              {"\"narcissus\"", std::to_string(next.value())});
  check_ok(queue.submit(CommandList{}));
}

DEVICE_TEST(Queue, WaitsForItsOwnPastAtNoCost) {
  Queue queue = test.queue();
  const Point first = need(queue.submit(CommandList{}));
  const Point second = need(queue.submit(CommandList{}, {.after = {first, first, queue.last()}}));
  test.finish(second);
}

DEVICE_TEST(Queue, DestroyedInFlightStillDoesItsWork) {
  test.require_bytes();
  Signal gate = test.signal();
  const Buffer buffer = test.buffer(Words(4, 1));
  Point done;
  {
    Queue brief = test.queue("brief");
    done = need(brief.submit(CommandList{}.fill(buffer, 2u), {.after = {test.at(gate, 1)}}));
  }
  CHECK(!need(done.is_reached()));
  need(test.raise(gate, 1));
  test.finish(done);
  CHECK_EQ(test.read<std::uint32_t>(buffer), Words(4, 2));
}

// lavapipe crashed: its thread still let go of a semaphore when the batch that waited for it had told that it was
// finished.
DEVICE_TEST(Queue, GoesAtOnceWhenWhatWaitedForItIsDone) {
  for (int round = 0; round < 200; ++round) {
    Queue first = test.queue(), second = test.queue();
    const Point begun = need(first.submit(CommandList{}));
    check_ok(need(second.submit(CommandList{}, {.after = {begun}})).wait(patience));
  }
}

DEVICE_TEST(Queue, ManyLiveTogether) {
  std::vector<Queue> queues;
  Signal gate = test.signal();
  for (int i = 0; i < 32; ++i) {
    queues.push_back(test.queue());
    need(queues.back().submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  }
  need(test.raise(gate, 1));
  for (const Queue& queue : queues) test.finish(queue.last());
}

DEVICE_TEST(Queue, CopyQueueIsHonest) {
  auto made = test.device().create_queue({.kind = QueueKind::copy, .label = "copies"});
  if (!test.has(Feature::copy_queue)) {
    check_error(made, Errc::unsupported, {std::string(test.id())});
    return;
  }
  Queue queue = need(std::move(made));
  const Buffer a = test.allocate(DType::u32, 8), b = test.allocate(DType::u32, 8);
  need(queue.submit(CommandList{}.fill(a, 6u).copy(b, a)));
  test.finish(queue.last());
  if (test.executes()) CHECK_EQ(test.read<std::uint32_t>(b), Words(8, 6));
}

DEVICE_TEST(Queue, CopyQueueRefusesKernels) {
  test.require(Feature::copy_queue);
  Queue queue = need(test.device().create_queue({.kind = QueueKind::copy, .label = "copies"}));
  check_error(queue.submit(CommandList{}.exec(test.kernel("nothing"), Grid{1})), Errc::invalid_argument,
              {"\"copies\""});
}

// What a list refuses, `check` refuses in the same words.
DEVICE_TEST(Queue, CheckRefusesAnEmptyView) {
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 4, "whole");
  const BufferView empty = need(buffer.slice(2, 0));
  const auto refused = queue.submit(CommandList{}.fill(empty, 1u));
  check_error(refused, Errc::invalid_argument, {"0 bytes at offset 8", "\"whole\""});
  for (const Access access : {Access::read, Access::write, Access::read_write}) {
    const auto checked = queue.check(empty, access);
    check_error(checked, Errc::invalid_argument);
    CHECK_EQ(checked.error().message(), refused.error().message());
    check_ok(queue.check(buffer, access));
  }
}

// A full queue blocks until there is room, within the deadline, and names the limit.
DEVICE_TEST(Queue, FullOneTimesOutWithItsLimit) {
  const std::uint64_t limit = test.info().limits.max_in_flight;
  if (limit > 100000) test.not_applicable("the queue takes more than 100000 submissions");
  if (~test.first() <= limit) test.not_applicable("serials end before the queue is full");
  Queue queue = test.queue("full");
  Signal gate = test.signal("gate");
  for (std::uint64_t i = 0; i < limit; ++i) need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  const auto refused = queue.submit(CommandList{}, {.timeout = moment});
  check_error(refused, Errc::timeout, {"\"full\"", std::to_string(limit)});
  need(test.raise(gate, 1));
  check_ok(queue.submit(CommandList{}, {.timeout = patience}));
  test.finish(queue.last());
  CHECK_EQ(queue.last().value(), test.first() + limit + 1);
}

DEVICE_TEST(Queue, FullOneIsNotAwaitedInACallback) {
  const std::uint64_t limit = test.info().limits.max_in_flight;
  if (limit > 100000 || ~test.first() <= limit) test.not_applicable("the queue cannot be filled here");
  Queue queue = test.queue("full");
  Signal gate = test.signal();
  for (std::uint64_t i = 0; i < limit; ++i) need(queue.submit(CommandList{}, {.after = {test.at(gate, 2)}}));
  std::atomic<bool> told{false};
  need(test.at(gate, 1).then([&](const Result<void>&) {
    check_error(queue.submit(CommandList{}, {.timeout = patience}), Errc::invalid_argument, {"\"full\""});
    told = true;
  }));
  need(test.raise(gate, 1));
  CHECK(test.eventually([&] { return told.load(); }));
  need(test.raise(gate, 2));
  test.finish(queue.last());
}

// Twice as many as fit in flight, none held: backpressure alone lets them all through.
DEVICE_TEST(Queue, BackpressureLetsAllThrough) {
  test.require(Feature::host_call);
  const std::uint64_t count = std::min<std::uint64_t>({2 * test.info().limits.max_in_flight, 5000, ~test.first()});
  Queue queue = test.queue();
  std::atomic<std::uint64_t> ran{0};
  for (std::uint64_t i = 0; i < count; ++i)
    need(queue.submit(CommandList{}.call([&ran] { ++ran; }), {.timeout = patience}));
  test.finish(queue.last());
  CHECK_EQ(ran.load(), count);
}

// Y16: submit returns while the work goes on; seen by the order of events, not by time.
DEVICE_TEST(Order, SubmitDoesNotWaitForTheWork) {
  test.require(Feature::host_call);
  if (test.is_driven()) test.not_applicable("a driven device may run work in submit");
  Queue queue = test.queue();
  std::atomic<bool> released{false};
  std::atomic<bool> ran{false};
  const Deadline limit = deadline_after(Clock::now(), patience);
  const Point done = need(queue.submit(CommandList{}.call([&] {
    while (!released.load() && Clock::now() < limit) {
    }
    ran.store(true);
  })));
  CHECK(!ran.load());
  released.store(true);
  test.finish(done);
  CHECK(ran.load());
}

// Y16: two queues really overlap: each waits, inside its work, for what the other does inside its own.
DEVICE_TEST(Order, QueuesOverlap) {
  test.require(Feature::host_call);
  if (test.is_driven() || !test.executes()) test.not_applicable("nothing runs by itself here");
  Queue first = test.queue(), second = test.queue();
  std::atomic<int> here{0}, met{0};
  const Deadline limit = deadline_after(Clock::now(), patience);
  const auto meet = [&] {
    ++here;
    while (here.load() < 2 && Clock::now() < limit) {
    }
    if (here.load() == 2) ++met;
  };
  need(first.submit(CommandList{}.call(meet)));
  need(second.submit(CommandList{}.call(meet)));
  test.finish(first.last());
  test.finish(second.last());
  CHECK_EQ(met.load(), 2);
}

}  // namespace
}  // namespace pintle::conformance
