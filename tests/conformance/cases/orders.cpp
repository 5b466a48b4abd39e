// Order across queues, devices and the host: waits before signals, jumps, chains.
#include <array>
#include <atomic>

#include "conformance/pair.h"
#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::array<std::string_view, 3> others{"cpu", "cpu?inline", "null"};

DEVICE_TEST(Signal, WaitSubmittedBeforeSignalIsHonoured) {
  Queue consumer = test.queue(), producer = test.queue();
  Signal ready = test.signal();
  const Point last = need(consumer.submit(CommandList{}, {.after = {test.at(ready, 1)}}));
  CHECK(!need(last.is_reached()));
  need(producer.submit(CommandList{}, {.signal = {test.at(ready, 1)}}));
  test.finish(last);
  CHECK_EQ(test.steps(ready), 1u);
}

DEVICE_TEST(Order, WaitBeforeSignalMovesTheRightBytes) {
  test.require_bytes();
  Queue consumer = test.queue(), producer = test.queue();
  Signal ready = test.signal();
  const Buffer buffer = test.buffer(Words(64, 1)), result = test.buffer(Words(64, 0));
  need(consumer.submit(CommandList{}.copy(result, buffer), {.after = {test.at(ready, 1)}}));
  need(producer.submit(CommandList{}.fill(buffer, 9u), {.signal = {test.at(ready, 1)}}));
  CHECK_EQ(test.read<std::uint32_t>(consumer, result), Words(64, 9));
}

// Two submissions of one queue each wait for the other queue's next: it deadlocks wherever queues share hardware.
DEVICE_TEST(Order, QueuesMayWaitForEachOtherInTurns) {
  Queue ping = test.queue(), pong = test.queue();
  Signal signal = test.signal();
  for (std::uint64_t round = 0; round < 20; ++round) {
    need(pong.submit(CommandList{},
                     {.after = {test.at(signal, 2 * round + 1)}, .signal = {test.at(signal, 2 * round + 2)}}));
    need(ping.submit(CommandList{},
                     {.after = {test.at(signal, 2 * round)}, .signal = {test.at(signal, 2 * round + 1)}}));
  }
  test.finish(test.at(signal, 40));
  CHECK_EQ(test.steps(signal), 40u);
}

// The value is what has been reached: from 3 straight to 7 releases the work that waits for 5.
DEVICE_TEST(Signal, JumpReleasesEverythingBelow) {
  Queue queue = test.queue(), jumper = test.queue();
  Signal signal = test.signal();
  need(test.raise(signal, 3));
  const Point five = need(queue.submit(CommandList{}, {.after = {test.at(signal, 5)}}));
  CHECK(!need(five.is_reached()));
  need(jumper.submit(CommandList{}, {.signal = {test.at(signal, 7)}}));
  test.finish(five);
  test.finish(test.at(signal, 7));
  CHECK_EQ(test.steps(signal), 7u);
  const Point eight = need(queue.submit(CommandList{}, {.after = {test.at(signal, 8)}}));
  CHECK(!need(eight.is_reached()));
  need(test.raise(signal, 100));
  test.finish(eight);
}

// A deadlock's words name the signal, the value, and that nobody brings it.
DEVICE_TEST(Signal, ATimeoutNamesWhatTheHeldSubmissionWaitsFor) {
  Queue queue = test.queue("stuck"), other = test.queue("other");
  Signal missing = test.signal("missing"), promised = test.signal("promised");
  const Point held = need(queue.submit(CommandList{}, {.after = {test.at(missing, 3)}}));
  check_error(
      held.wait(moment), Errc::timeout,
      {"\"stuck\"", "value (" + std::to_string(test.at(missing, 3).value()) + ") of [Signal", "\"missing\"",
       "the value reached there is (" + std::to_string(missing.value()) + ")", "nobody has submitted or set it"});
  const Point behind = need(other.submit(CommandList{}, {.after = {test.at(promised, 1)}}));
  need(queue.submit(CommandList{}, {.signal = {test.at(promised, 1)}}));
  check_error(behind.wait(moment), Errc::timeout, {"\"promised\"", "\"stuck\"]", "is to bring it"});
  need(test.raise(missing, 3));
  test.finish(behind);
}

// Y4: the value comes from completion, not from submission.
DEVICE_TEST(Signal, ValueIsWhatIsReachedNotWhatIsSubmitted) {
  Queue queue = test.queue();
  Signal gate = test.signal(), done = test.signal();
  need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}, .signal = {test.at(done, 4)}}));
  static_cast<void>(test.device().poll());
  CHECK_EQ(test.steps(done), 0u);
  CHECK(!need(test.at(done, 4).is_reached()));
  check_error(test.at(done, 1).wait(moment), Errc::timeout);
  need(test.raise(gate, 1));
  test.finish(test.at(done, 4));
  CHECK_EQ(test.steps(done), 4u);
}

DEVICE_TEST(Order, HostReleasesInTheOrderItSets) {
  test.require(Feature::host_call);
  Queue first = test.queue(), second = test.queue();
  Signal gate = test.signal();
  std::vector<int> seen;
  const Point b = need(second.submit(CommandList{}.call([&] { seen.push_back(2); }), {.after = {test.at(gate, 2)}}));
  const Point a = need(first.submit(CommandList{}.call([&] { seen.push_back(1); }), {.after = {test.at(gate, 1)}}));
  need(test.raise(gate, 1));
  test.finish(a);
  CHECK(!need(b.is_reached()));
  need(test.raise(gate, 2));
  test.finish(b);
  CHECK_EQ(seen, (std::vector<int>{1, 2}));
}

// A held submission holds those behind it on its queue.
DEVICE_TEST(Order, HeldWorkIsNotOvertaken) {
  test.require(Feature::host_call);
  Queue queue = test.queue();
  Signal gate = test.signal();
  std::vector<int> seen;
  need(queue.submit(CommandList{}.call([&] { seen.push_back(1); }), {.after = {test.at(gate, 1)}}));
  const Point second = need(queue.submit(CommandList{}.call([&] { seen.push_back(2); })));
  static_cast<void>(test.device().poll());
  CHECK(!need(second.is_reached()));
  CHECK(seen.empty());
  need(test.raise(gate, 1));
  test.finish(second);
  CHECK_EQ(seen, (std::vector<int>{1, 2}));
}

DEVICE_TEST(Order, ManyWaitsAndSignalsOnOneSubmission) {
  Queue queue = test.queue();
  std::vector<Signal> gates, dones;
  SubmitOptions options;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    gates.push_back(test.signal());
    dones.push_back(test.signal());
    options.after.push_back(test.at(gates.back(), i));
    options.signal.push_back(test.at(dones.back(), i));
  }
  const Point last = need(queue.submit(CommandList{}, std::move(options)));
  for (std::uint64_t i = 40; i >= 1; --i) {
    CHECK(!need(last.is_reached()));
    need(test.raise(gates[i - 1], i));
  }
  test.finish(last);
  for (std::uint64_t i = 1; i <= 40; ++i) CHECK_EQ(test.steps(dones[i - 1]), i);
}

DEVICE_TEST(Order, ChainOfQueuesOnOneDevice) {
  test.require_bytes();
  constexpr std::uint32_t length = 12;
  std::vector<Queue> queues;
  for (std::uint32_t i = 0; i < length; ++i) queues.push_back(test.queue());
  const Kernel affine = test.kernel("affine");
  const Buffer buffer = test.buffer(Words(100, 1));
  Point before = queues.back().last();
  std::uint32_t expected = 1;
  for (std::uint32_t round = 0; round < 3 * length; ++round) {
    before = need(queues[round % length].submit(CommandList{}.exec(affine, Grid::cover(100), buffer, 3u, round, 100u),
                                                {.after = {before}}));
    expected = expected * 3 + round;
  }
  test.finish(before);
  CHECK_EQ(test.read<std::uint32_t>(buffer), Words(100, expected));
}

// Y5, Y10: waits and signals of other devices are real, both ways, whichever comes first.
DEVICE_TEST(Order, DevicesWaitForEachOther) {
  for (const std::string_view id : others) {
    const Pair pair(test, id);
    Queue here = test.queue("here"), there = pair.other_queue("there");
    Signal there_done = test.signal(), here_done = test.signal();
    const Point first =
        need(here.submit(CommandList{}, {.after = {test.at(there_done, 1)}, .signal = {test.at(here_done, 1)}}));
    const Point second = need(there.submit(CommandList{}, {.after = {test.at(here_done, 1)}}));
    static_cast<void>(test.device().poll());
    static_cast<void>(pair.other().poll());
    CHECK(!need(first.is_reached()));
    CHECK(!need(second.is_reached()));
    Queue starter = pair.other_queue("starter");
    need(starter.submit(CommandList{}, {.signal = {test.at(there_done, 1)}}));
    pair.finish(second);
    pair.finish(first);
  }
}

DEVICE_TEST(Order, DevicesTakeTurns) {
  for (const std::string_view id : others) {
    const Pair pair(test, id);
    Queue here = test.queue(), there = pair.other_queue("there");
    Signal turn = test.signal();
    for (std::uint64_t round = 0; round < 10; ++round) {
      need(there.submit(CommandList{},
                        {.after = {test.at(turn, 2 * round + 1)}, .signal = {test.at(turn, 2 * round + 2)}}));
      need(here.submit(CommandList{}, {.after = {test.at(turn, 2 * round)}, .signal = {test.at(turn, 2 * round + 1)}}));
    }
    pair.finish(test.at(turn, 20));
    CHECK_EQ(test.steps(turn), 20u);
  }
}

// Blocking for a point behind another device's work needs nobody to poll.
DEVICE_TEST(Order, BlockingWaitCoversTheOtherDevice) {
  const Pair pair(test, "cpu");
  Queue here = test.queue(), there = pair.other_queue("there");
  Signal signal = test.signal();
  const Point last = need(here.submit(CommandList{}, {.after = {test.at(signal, 1)}}));
  need(there.submit(CommandList{}, {.signal = {test.at(signal, 1)}}));
  check_ok(last.wait(patience));
}

// The example of the design: a producer and a consumer on two devices, double-buffered, `empty` starts at 2.
DEVICE_TEST(Order, DoubleBufferedFramesArriveWhole) {
  test.require_bytes();
  constexpr std::uint32_t frames = 12, size = 256;
  const Pair pair(test, "cpu");
  Queue make = test.queue("make"), use = pair.other_queue("use");
  Signal empty = test.signal("empty"), full = test.signal("full");
  need(test.raise(empty, 2));
  const Buffer source = test.allocate(DType::u32, size);
  const Buffer sink = need(pair.other().allocate(DType::u32, {size}));
  std::array<std::shared_ptr<Words>, 2> stage{std::make_shared<Words>(size), std::make_shared<Words>(size)};
  std::vector<Words> results(frames, Words(size));
  for (std::uint32_t f = 1; f <= frames; ++f) {
    const auto& words = stage[f % 2];
    need(make.submit(CommandList{}
                         .fill(source, f * 1000)
                         .download_retained(words, std::as_writable_bytes(std::span(*words)), source),
                     {.after = {test.at(empty, f)}, .signal = {test.at(full, f)}}));
    need(use.submit(
        CommandList{}.upload_retained(sink, words, std::as_bytes(std::span(*words))).download(results[f - 1], sink),
        {.after = {test.at(full, f)}, .signal = {test.at(empty, f + 2)}}));
  }
  pair.finish(test.at(empty, frames + 2));
  for (std::uint32_t f = 1; f <= frames; ++f) CHECK_EQ(results[f - 1], Words(size, f * 1000));
}

}  // namespace
}  // namespace pintle::conformance
