// Core over a device that finishes when the test says so: watching, holding, deferred frees, losses.
#include "core/device/incarnation.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "core/queue/queue_state.h"
#include "fake_device.h"
#include "pintle/must.h"

namespace pintle::core {
namespace {

using namespace std::chrono_literals;

class IncarnationConcurrency : public testing::Test {
 protected:
  IncarnationConcurrency() {
    auto device = std::make_unique<fake::Device>();
    device_ = device.get();
    incarnation_ = must(Incarnation::open("fake", 1, std::move(device)));
  }

  std::shared_ptr<QueueState> queue() { return must(incarnation_->queues().create({})); }
  static Result<Point> try_submit(QueueState& queue, SubmitOptions options) {
    PINTLE_ASSIGN(serial, queue.submit(CommandList{}, &options));
    return SignalState::point(queue.timeline(), serial);
  }
  static Point submit(QueueState& queue, SubmitOptions options = {}) {
    return must(try_submit(queue, std::move(options)));
  }

  fake::Device* device_;
  std::shared_ptr<Incarnation> incarnation_;
};

TEST_F(IncarnationConcurrency, CallbackRunsThoughTheDeviceTellsNobody) {
  const auto work = queue();
  const Point done = submit(*work);
  std::atomic<int> calls = 0;
  ASSERT_TRUE(done.then([&](const Result<void>& result) { calls += result ? 1 : 100; }));
  EXPECT_FALSE(must(done.is_reached()));
  device_->finish(1);
  while (calls == 0) std::this_thread::yield();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(must(done.is_reached()));
}

TEST_F(IncarnationConcurrency, AQueueThatSleepsDelaysNoOthersCallback) {
  const auto slow = queue();
  const Point late = submit(*slow);
  device_->oversleep();
  std::promise<void> of_queue, of_signal;
  ASSERT_TRUE(late.then([&](const Result<void>&) { of_queue.set_value(); }));
  while (!device_->is_waited_for()) std::this_thread::yield();
  Signal signal = must(Signal::create());
  ASSERT_TRUE(signal.at(1).then([&](const Result<void>&) { of_signal.set_value(); }));
  ASSERT_TRUE(signal.set(1));
  auto told = of_signal.get_future();
  EXPECT_EQ(told.wait_for(20s), std::future_status::ready);
  device_->finish(1);
  of_queue.get_future().wait();
  told.wait();
}

TEST_F(IncarnationConcurrency, AnEarlierSerialIsToldThoughALaterOneIsWatchedAlready) {
  const auto work = queue();
  const Point first = submit(*work), second = submit(*work);
  std::promise<void> of_first, of_second;
  ASSERT_TRUE(second.then([&](const Result<void>&) { of_second.set_value(); }));
  while (!device_->is_waited_for()) std::this_thread::yield();
  ASSERT_TRUE(first.then([&](const Result<void>&) { of_first.set_value(); }));
  device_->finish(1);
  of_first.get_future().wait();
  EXPECT_FALSE(must(second.is_reached()));
  device_->finish(2);
  of_second.get_future().wait();
}

TEST_F(IncarnationConcurrency, OneThreadWatchesAllQueuesOfADevice) {
  constexpr std::size_t count = 30;
  std::vector<std::shared_ptr<QueueState>> queues;
  std::vector<std::promise<void>> told(count);
  for (std::size_t i = 0; i < count; ++i) {
    queues.push_back(queue());
    submit(*queues[i]);
    ASSERT_TRUE(submit(*queues[i]).then([&told, i](const Result<void>&) { told[i].set_value(); }));
  }
  while (!device_->is_waited_for()) std::this_thread::yield();
  device_->finish(1);
  device_->finish_last(2);
  told.back().get_future().wait();
  device_->finish(2);
  for (std::size_t i = 0; i + 1 < count; ++i) told[i].get_future().wait();
  EXPECT_EQ(device_->most_waiting(), 1u);
}

TEST_F(IncarnationConcurrency, HeldSubmissionStartsWhenTheSignalComes) {
  const auto work = queue();
  Signal gate = must(Signal::create());
  const Point held = submit(*work, {.after = {gate.at(3)}});
  const Point behind = submit(*work);
  device_->finish(9);
  EXPECT_FALSE(must(held.is_reached()));
  EXPECT_EQ(held.wait(1ms).error().code(), Errc::timeout);
  ASSERT_TRUE(gate.set(7));  // a jump over 3
  device_->finish(9);
  EXPECT_TRUE(behind.wait());
  EXPECT_TRUE(must(held.is_reached()));
}

TEST_F(IncarnationConcurrency, SameDeviceWaitsGoToTheBackend) {
  const auto first = queue(), second = queue();
  const Point before = submit(*first);
  const Point after = submit(*second, {.after = {before}});
  EXPECT_EQ(device_->native_waits(), 1u);
  device_->finish(1);
  EXPECT_TRUE(after.wait());
}

TEST_F(IncarnationConcurrency, SignalOfUnwatchedWorkIsCountedWhenAsked) {
  const auto work = queue();
  const Signal signal = must(Signal::create());
  submit(*work, {.signal = {signal.at(5)}});
  EXPECT_EQ(signal.value(), 0u);
  device_->finish(1);
  EXPECT_EQ(signal.value(), 5u);
  EXPECT_EQ(Signal(signal).set(4).error().code(), Errc::invalid_argument);
}

// Where everything is finished between the look that finds it full and the wait for the oldest, there is none to wait
// for.
TEST_F(IncarnationConcurrency, FullQueueThatEmptiesMeanwhileTakesMore) {
  const auto work = queue();
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    while (!is_over) {
      device_->finish(~std::uint64_t{0});
      static_cast<void>(incarnation_->poll());
    }
  });
  for (int i = 0; i < 15000; ++i) {
    const auto taken = try_submit(*work, {.timeout = 20s});
    EXPECT_TRUE(taken) << i << ": " << taken.error().text();
    if (!taken) break;
  }
  is_over = true;
  other.join();
}

TEST_F(IncarnationConcurrency, FullQueueTimesOutAndThenTakesMore) {
  const auto work = queue();
  for (int i = 0; i < 4; ++i) submit(*work);
  const auto refused = try_submit(*work, {.timeout = 1ms});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::timeout);
  EXPECT_NE(refused.error().text().find("limit of (4)"), std::string::npos);
  device_->finish(1);
  EXPECT_TRUE(try_submit(*work, {.timeout = 1s}));
}

TEST_F(IncarnationConcurrency, MemoryIsFreedWhenItsLastUseIsFinished) {
  const auto work = queue();
  {
    const Buffer buffer = must(incarnation_->buffers().allocate(DType::u32, {4}, {}));
    must(work->submit(CommandList{}.fill(buffer, 1u), nullptr));
  }
  EXPECT_EQ(device_->released(), 0u);
  device_->finish(1);
  EXPECT_TRUE(work->last().wait());
  EXPECT_EQ(device_->released(), 1u);
}

TEST_F(IncarnationConcurrency, UnusedMemoryIsFreedAtOnce) {
  {
    const Buffer buffer = must(incarnation_->buffers().allocate(DType::u32, {4}, {}));
  }
  EXPECT_EQ(device_->released(), 1u);
}

TEST_F(IncarnationConcurrency, RefusedSubmitDoesNotFreeWhatAnEarlierOneUses) {
  const auto work = queue();
  {
    const Buffer kept = must(incarnation_->buffers().allocate(DType::u32, {4}, {}));
    BufferView gone;
    must(work->submit(CommandList{}.fill(kept, 1u), nullptr));
    {
      const Buffer brief = must(incarnation_->buffers().allocate(DType::u32, {4}, {}));
      gone = brief.view();
    }
    EXPECT_EQ(device_->released(), 1u);
    const auto refused = work->submit(CommandList{}.fill(kept, 2u).fill(gone, 2u), nullptr);
    EXPECT_EQ(refused.error().code(), Errc::stale);
  }
  EXPECT_EQ(device_->released(), 1u);
  device_->finish(1);
  EXPECT_TRUE(work->last().wait());
  EXPECT_EQ(device_->released(), 2u);
}

TEST_F(IncarnationConcurrency, AbandonedQueueGoesWhenItsWorkIsFinished) {
  Point last;
  {
    const auto work = queue();
    last = submit(*work);
  }
  EXPECT_EQ(device_->queues(), 1u);
  device_->finish(1);
  EXPECT_TRUE(last.wait());
  while (device_->queues() != 0) {
    ASSERT_TRUE(incarnation_->poll());
    std::this_thread::yield();
  }
}

TEST_F(IncarnationConcurrency, QueueIsNotDestroyedUnderACall) {
  for (int round = 0; round < 50; ++round) {
    auto work = queue();
    const Point last = submit(*work);
    std::thread waiter([&] { EXPECT_TRUE(last.wait()); });
    work.reset();
    device_->finish(~std::uint64_t{0});
    waiter.join();
    ASSERT_TRUE(incarnation_->poll());
  }
  EXPECT_FALSE(device_->destroyed_in_call());
}

TEST_F(IncarnationConcurrency, LossReachesEverybodyWithTheFirstCause) {
  const auto work = queue();
  Signal gate = must(Signal::create()), end = must(Signal::create());
  const Point native = submit(*work);
  const Point held = submit(*work, {.after = {gate.at(1)}, .signal = {end.at(1)}});
  std::atomic<int> codes = 0;
  ASSERT_TRUE(end.at(1).then([&](const Result<void>& result) { codes = static_cast<int>(result.error().code()); }));
  const Error cause(Errc::device_lost, "The fake falls off the bus.");
  std::thread waiter([&] { EXPECT_TRUE(native.wait().error().same_origin(cause)); });
  device_->lose(cause);
  waiter.join();
  EXPECT_TRUE(held.wait().error().same_origin(cause));
  while (codes == 0) std::this_thread::yield();
  EXPECT_EQ(codes, static_cast<int>(Errc::device_lost));
  EXPECT_TRUE(work->submit(CommandList{}, nullptr).error().same_origin(cause));
  EXPECT_TRUE(incarnation_->life().is_lost());
  EXPECT_EQ(incarnation_->life().loss().generation(), 1u);
}

TEST_F(IncarnationConcurrency, LossToldByNotifyFailsTheCallback) {
  const auto work = queue();
  const Point done = submit(*work);
  const Error cause(Errc::device_lost, "The fake is lost when asked to tell.");
  device_->fail_notify(cause);
  std::atomic<int> calls = 0;
  ASSERT_TRUE(
      done.then([&](const Result<void>& result) { calls += !result && result.error().same_origin(cause) ? 1 : 100; }));
  while (calls == 0) std::this_thread::yield();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(incarnation_->life().is_lost());
}

TEST_F(IncarnationConcurrency, WrongSerialOfABackendIsAnInternalError) {
  const auto work = queue();
  device_->skip_serials(2);
  const auto refused = work->submit(CommandList{}, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::internal);
  EXPECT_NE(refused.error().text().find("(2)"), std::string::npos);
}

TEST_F(IncarnationConcurrency, WaitingForTheOwnFutureIsRefused) {
  const auto work = queue();
  const Point last = submit(*work);
  const auto refused = try_submit(*work, {.after = {last.signal().at(last.value() + 1)}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  device_->finish(1);
  EXPECT_TRUE(submit(*work, {.after = {last}}).value() == last.value() + 1);
  device_->finish(2);
}

}  // namespace
}  // namespace pintle::core
