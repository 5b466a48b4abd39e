#include "collective/heap/heap_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <new>
#include <optional>
#include <vector>

#include "symmetric_support.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::chrono::seconds patience(20);
[[nodiscard]] Deadline late() { return Clock::now() + patience; }

TEST(HeapWorkerConcurrency, RunsInOrderAndEachAfterItsPoints) {
  Signal ready = must(Signal::create());
  std::vector<int> ran;
  HeapWorker worker("[Heap]");
  const auto run = [&](int number) {
    return [&ran, number]() -> Result<void> { return ran.push_back(number), Result<void>(); };
  };
  const Point first = must(worker.add({.after = {ready.at(1)}, .timeout = patience}, run(1)));
  const Point second = must(worker.add({.timeout = patience}, run(2)));
  EXPECT_FALSE(must(second.is_reached()));
  must(ready.set(1));
  must(worker.settle(late()));
  EXPECT_THAT(ran, ElementsAre(1, 2));
  EXPECT_TRUE(must(first.is_reached()) && must(second.is_reached()));
}

TEST(HeapWorkerConcurrency, IsSettledWithNothingToDo) {
  HeapWorker worker("[Heap]");
  EXPECT_TRUE(worker.settle(Clock::now()));
  EXPECT_TRUE(worker.settle(Deadline::max()));
  EXPECT_TRUE(worker.take_failure());
}

TEST(HeapWorkerConcurrency, AFailureStaysUntilItIsTaken) {
  HeapWorker worker("[Heap]");
  bool has_run = false;
  const auto failing = []() -> Result<void> { return Error(Errc::io, "Broken."); };
  const auto running = [&]() -> Result<void> { return has_run = true, Result<void>(); };
  const Point first = must(worker.add({.timeout = patience}, failing));
  EXPECT_EQ(outcome(first.wait()), "io: Broken.");
  EXPECT_EQ(outcome(worker.add({.timeout = patience}, running)), "io: Broken.");
  must(worker.settle(late()));
  EXPECT_EQ(outcome(worker.failure()), "io: Broken.");
  EXPECT_EQ(outcome(worker.take_failure()), "io: Broken.");
  EXPECT_TRUE(worker.failure());
  EXPECT_FALSE(has_run);
  EXPECT_EQ(outcome(must(worker.add({.timeout = patience}, running)).wait()), "success");
  EXPECT_EQ(outcome(first.wait()), "io: Broken.") << "the old timeline has failed for ever";
  EXPECT_TRUE(has_run);
}

TEST(HeapWorkerConcurrency, WhatIsThrownIsAFailure) {
  HeapWorker worker("[Heap]");
  const Point point = must(worker.add({.timeout = patience}, []() -> Result<void> { throw std::bad_alloc(); }));
  EXPECT_THAT(outcome(point.wait()), StartsWith("out_of_memory: "));
}

TEST(HeapWorkerConcurrency, RaisesAndFailsItsSignals) {
  HeapWorker worker("[SymmetricHeap 1]");
  const Signal done = must(Signal::create()), never = must(Signal::create()), broken = must(Signal::create());
  must(worker.add({.signal = {done.at(2)}, .timeout = patience}, [] { return Result<void>(); }));
  must(done.wait(2, patience));
  must(worker.add({.after = {never.at(1)}, .signal = {broken.at(1)}, .label = "shards", .timeout = Duration::zero()},
                  [] { return Result<void>(); }));
  const auto failed = broken.wait(1, patience);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), Errc::timeout);
  EXPECT_NE(failed.error().message().find("Transfer \"shards\" of [SymmetricHeap 1]"), std::string_view::npos);
}

TEST(HeapWorkerConcurrency, AWaitThatNeverEndsDoesNotKeepIt) {
  std::vector<Point> points;
  const Signal never = must(Signal::create());
  bool has_run = false;
  {
    HeapWorker worker("[Heap]");
    for (int i = 0; i < 3; ++i) {
      points.push_back(must(worker.add({.after = {never.at(1)}, .timeout = Timeout::infinite()},
                                       [&]() -> Result<void> { return has_run = true, Result<void>(); })));
    }
    EXPECT_THAT(outcome(worker.settle(Clock::now() + milliseconds(10))), HasSubstr("Transfers (3) of [Heap]"));
  }
  for (const Point& point : points) EXPECT_THAT(outcome(point.is_reached()), StartsWith("cancelled: A transfer of [H"));
  EXPECT_FALSE(has_run);
}

}  // namespace
}  // namespace pintle::collective
