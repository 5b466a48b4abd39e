#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "pintle/group.h"
#include "pintle/must.h"
#include "pintle/signal.h"
#include "pintle/symmetric.h"
#include "symmetric_support.h"

namespace pintle::collective {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

using Words = std::vector<std::uint32_t>;

const Error broken(Errc::io, "The source is broken.");

TEST(SymmetricAsyncConcurrency, ATransferWaitsForItsPointsAndGivesOne) {
  on_threads(2, [](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {4}));
    std::ranges::fill(must(heap.local<std::uint32_t>(buffer)), 7u);
    must(group.run(Collective::barrier()));
    const SymmetricView there = buffer.on(1 - heap.rank());
    Signal ready = must(Signal::create());
    Words from(4, 1), to(4);
    const Point put = must(heap.put(there, from, {.after = {ready.at(1), ready.at(2)}}));
    const Point got = must(heap.get(to, there, {}));
    must(ready.set(1));
    EXPECT_EQ(outcome(got.wait(milliseconds(20))).substr(0, 7), "timeout");
    EXPECT_FALSE(must(put.is_reached()));
    EXPECT_THAT(must(heap.local<std::uint32_t>(buffer)), Each(7u));
    must(group.run(Collective::barrier()));
    from.assign(4, 5);  // lent until the point: what is there when the transfer begins is what goes
    must(ready.set(2));
    must(got.wait());
    EXPECT_TRUE(must(put.is_reached())) << "in order";
    EXPECT_THAT(to, Each(5u));
    must(heap.barrier());
    EXPECT_THAT(must(heap.local<std::uint32_t>(buffer)), Each(5u));
  });
}

// Each rank gives what has come to the next one; nobody waits but the workers and, at the end, rank 0.
TEST(SymmetricAsyncConcurrency, ManyTransfersAndSignalsStayInOrder) {
  with_heaps(3, 1 << 16, [](SymmetricHeap& heap) {
    constexpr std::uint32_t rounds = 200;
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {rounds, 16}));
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    const std::uint32_t next = (heap.rank() + 1) % heap.ranks();
    std::vector<Words> rows;
    for (std::uint32_t round = 0; round < rounds; ++round) rows.emplace_back(16, round * 3 + heap.rank());
    Point last;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const SymmetricBuffer row = must(buffer.slice(round * 16, 16));
      last = must(heap.put_signal(row.on(next), rows[round], signals.at(0), round + 1, {}));
      EXPECT_EQ(last.value(), round + 1u);
    }
    for (std::uint32_t round = 0; round < rounds; ++round) {
      must(heap.wait_signal(signals.at(0), round + 1));
      const SymmetricBuffer row = must(buffer.slice(round * 16, 16));
      ASSERT_THAT(must(heap.local<std::uint32_t>(row)), Each(round * 3 + (heap.rank() + 2) % 3));
    }
    must(last.wait());
  });
}

TEST(SymmetricAsyncConcurrency, WhatFailsTakesWhatIsBehindItAlongUntilFlushAnswersIt) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {4}));
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    const SymmetricView there = buffer.on(1 - heap.rank());
    const Words from(4, 1);
    Signal source = must(Signal::create());
    const Point before = must(heap.put(there, from, SubmitOptions{}));
    const Point failing = must(heap.put(there, from, {.after = {source.at(1)}}));
    const Point behind = must(heap.put_signal(there, from, signals.at(0), 1, {}));
    must(source.fail(broken));
    EXPECT_EQ(outcome(before.wait()), "success");
    EXPECT_EQ(outcome(failing.wait()), "io: The source is broken.");
    EXPECT_EQ(outcome(behind.wait()), "io: The source is broken.");
    EXPECT_EQ(outcome(heap.put(there, from, SubmitOptions{})), "io: The source is broken.");
    EXPECT_EQ(outcome(heap.fence()), "io: The source is broken.");
    EXPECT_EQ(outcome(heap.flush()), "io: The source is broken.");
    EXPECT_EQ(outcome(heap.flush()), "success");
    must(heap.barrier());
    EXPECT_EQ(must(heap.value(signals.at(0))), 0u) << "its bytes may not be there";
    EXPECT_EQ(outcome(must(heap.put(there, from, SubmitOptions{})).wait()), "success");
  });
}

TEST(SymmetricAsyncConcurrency, ATransferWhosePointsDoNotComeEndsByItsDeadline) {
  with_heaps(1, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {4}));
    const Words from(4, 1);
    const Signal never = must(Signal::create());
    const Point point = must(heap.put(buffer.on(0), from, {.after = {never.at(3)}, .timeout = milliseconds(20)}));
    EXPECT_THAT(outcome(point.wait()), AllOf(StartsWith("timeout: A transfer of " + heap.text()),
                                             HasSubstr("waits for a point (value 3) past its deadline.")));
    EXPECT_FALSE(heap.flush());
    const Point late = must(heap.put(buffer.on(0), from, {.after = {never.at(1)}}));
    EXPECT_THAT(outcome(heap.flush(milliseconds(20))),
                StartsWith("timeout: Transfers (1) of " + heap.text() + " have not ended in time."));
    Signal now = never;
    must(now.set(1));
    EXPECT_EQ(outcome(late.wait()), "success") << "the work goes on";
  });
}

TEST(SymmetricAsyncConcurrency, ABarriersFailureIsEveryRanks) {
  Errors errors(3);
  on_threads(3, [&](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {4}));
    const Words from(4, 1);
    Signal source = must(Signal::create());
    if (heap.rank() == 2) {
      must(heap.put(buffer.on(0), from, {.after = {source.at(1)}}));
      must(source.fail(broken));
    }
    errors[heap.rank()] = outcome(heap.barrier());
    EXPECT_TRUE(heap.barrier()) << "the failure has been told";
  });
  EXPECT_EQ(same(errors), "io: On rank 2: The source is broken.");
}

TEST(SymmetricAsyncConcurrency, FreeWaitsForTransfersOfTheMemory) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {4}));
    Signal ready = must(Signal::create());
    const Words from(4, 9);
    const Point point = must(heap.put(buffer.on(1 - heap.rank()), from, {.after = {ready.at(1)}}));
    std::jthread later([&ready] { must(ready.set(1)); });
    must(heap.free(buffer));
    EXPECT_TRUE(must(point.is_reached()));
  });
}

TEST(SymmetricAsyncConcurrency, WhatHasNotBegunWhenTheHeapGoesIsCancelled) {
  on_threads(2, [](Group& group) {
    Point first, second;
    const Words from(4, 1);
    const Signal never = must(Signal::create());
    {
      SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
      const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {4}));
      first = must(heap.put(buffer.on(0), from, {.after = {never.at(1)}}));
      second = must(heap.put(buffer.on(0), from, {}));
    }
    EXPECT_THAT(outcome(first.wait()), StartsWith("cancelled: A transfer of [SymmetricHeap "));
    EXPECT_THAT(outcome(second.wait()), StartsWith("cancelled: "));
    must(group.run(Collective::barrier()));
  });
}

TEST(SymmetricAsyncConcurrency, WhatIsWrongIsRefusedAtTheCall) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {4}));
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    Words words(5);
    const SubmitOptions at_once{};
    EXPECT_THAT(outcome(heap.put(buffer.on(1), words, at_once)), HasSubstr("Size (20 bytes) is not the size (16"));
    EXPECT_THAT(outcome(heap.get(words, buffer.on(1), at_once)), HasSubstr("Size (20 bytes) is not the size (16"));
    words.resize(4);
    EXPECT_THAT(outcome(heap.put(buffer.on(2), words, at_once)), HasSubstr("Rank (2)"));
    EXPECT_THAT(outcome(heap.put_signal(buffer.on(1), words, signals.at(1), 1, at_once)), HasSubstr("Signal (1)"));
    EXPECT_THAT(outcome(must(heap.put(buffer.on(1), words, {.after = {Point()}})).wait()),
                StartsWith("invalid_argument: "));
    EXPECT_THAT(outcome(heap.flush()), StartsWith("invalid_argument: "));
  });
}

TEST(SymmetricAsyncConcurrency, APointIsAnotherTransfersWait) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {2, 4}));
    const SymmetricView there = must(buffer.slice(0, 4)).on(1 - heap.rank());
    Words values(4), from(4, heap.rank());
    const Point put = must(heap.put(there, from, SubmitOptions{}));
    const Point got = must(heap.get(values, there, {.after = {put}}));
    must(got.wait());
    EXPECT_THAT(values, Each(heap.rank()));
  });
}

}  // namespace
}  // namespace pintle::collective
