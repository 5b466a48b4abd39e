#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "pintle/group.h"
#include "pintle/must.h"
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

// Rank 0 gives numbers to rank 1, which gives them back; each waits for the other's signal only.
TEST(SymmetricSignalConcurrency, WhoSeesTheSignalSeesTheBytes) {
  with_heaps(2, 1 << 16, [](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u64, {500}));
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    const std::uint32_t other = 1 - heap.rank();
    for (std::uint64_t round = 1; round <= 500; ++round) {
      if (heap.rank() == 1) {
        must(heap.wait_signal(signals.at(0), round, {}, other));
        ASSERT_THAT(must(heap.local<std::uint64_t>(buffer)), Each(round));
      }
      must(heap.put_signal(buffer.on(other), std::vector<std::uint64_t>(500, round), signals.at(0), round));
      if (heap.rank() == 0) {
        must(heap.wait_signal(signals.at(0), round));
        ASSERT_THAT(must(heap.local<std::uint64_t>(buffer)), Each(round));
      }
    }
  });
}

TEST(SymmetricSignalConcurrency, ASignalComesAfterEverythingThatWasPutBefore) {
  with_heaps(3, 1 << 16, [](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {64, 8}));
    const SymmetricSignals signals = must(heap.allocate_signals(heap.ranks()));
    for (std::uint32_t round = 1; round <= 100; ++round) {
      const std::uint32_t to = (heap.rank() + 1) % heap.ranks();
      const std::uint32_t from = (heap.rank() + 2) % heap.ranks();
      for (std::uint32_t row = 0; row < 64; ++row) {
        must(heap.put(must(buffer.slice(row * 8, 8)).on(to), std::vector<std::uint32_t>(8, round)));
      }
      must(heap.raise(signals.at(heap.rank()), to, round));
      must(heap.wait_signal(signals.at(from), round, {}, from));
      ASSERT_THAT(must(heap.local<std::uint32_t>(buffer)), Each(round));
      must(heap.barrier());
    }
  });
}

TEST(SymmetricSignalConcurrency, SignalsOnlyRise) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricSignals signals = must(heap.allocate_signals(2));
    EXPECT_EQ(signals.count(), 2u);
    if (heap.rank() == 0) {
      for (const std::uint64_t value : {5u, 3u, 0u, 5u}) must(heap.raise(signals.at(1), 1, value));
    }
    must(heap.barrier());
    EXPECT_EQ(must(heap.value(signals.at(0))), 0u);
    EXPECT_EQ(must(heap.value(signals.at(1))), heap.rank() == 1 ? 5u : 0u);
    must(heap.barrier());
    must(heap.raise(signals.at(1), 1, std::numeric_limits<std::uint64_t>::max()));
    must(heap.barrier());
    EXPECT_TRUE(heap.rank() == 0 || heap.wait_signal(signals.at(1), std::numeric_limits<std::uint64_t>::max()));
  });
}

TEST(SymmetricSignalConcurrency, TheHighestOfManyStays) {
  with_heaps(4, 4096, [](SymmetricHeap& heap) {
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    for (std::uint64_t value = 1; value <= 2000; ++value) must(heap.raise(signals.at(0), 2, value * 4 + heap.rank()));
    must(heap.barrier());
    EXPECT_EQ(must(heap.value(signals.at(0))), heap.rank() == 2 ? 8003u : 0u);
  });
}

TEST(SymmetricSignalConcurrency, NewSignalsAreZeroWhateverWasThere) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer all = must(heap.allocate(DType::u8, {4096}));
    std::ranges::fill(must(heap.local(all)), std::byte{0xff});
    must(heap.free(all));
    const SymmetricSignals signals = must(heap.allocate_signals(512));
    for (std::uint64_t i = 0; i < signals.count(); ++i) EXPECT_EQ(must(heap.value(signals.at(i))), 0u);
    must(heap.free(signals));
    EXPECT_THAT(outcome(heap.value(signals.at(0))), StartsWith("stale: "));
    EXPECT_EQ(heap.usage().free, 4096u);
  });
}

TEST(SymmetricSignalConcurrency, ASleeperIsWoken) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    if (heap.rank() == 0) {
      must(heap.wait_signal(signals.at(0), 1, seconds(20)));
    } else {
      std::this_thread::sleep_for(milliseconds(30));  // for the other rank to sleep; right without it, too
      must(heap.raise(signals.at(0), 0, 1));
    }
  });
}

TEST(SymmetricSignalConcurrency, ATimeoutNamesWhoIsLateAndFailsNothing) {
  with_heaps(3, 4096, [](SymmetricHeap& heap) {
    const SymmetricSignals signals = must(heap.allocate_signals(3));
    if (heap.rank() == 0) {
      must(heap.raise(signals.at(2), 0, 3));
      const std::string signal = "timeout: [SymmetricSignal 2 at 0 of " + heap.text() + "] is at 3 where rank 0 waits ";
      EXPECT_EQ(outcome(heap.wait_signal(signals.at(2), 4, milliseconds(20), 1)),
                signal + "for 4, past its deadline; rank 1 is late.");
      EXPECT_EQ(outcome(heap.wait_signal(signals.at(2), 4, milliseconds(20))), signal + "for 4, past its deadline.");
      EXPECT_TRUE(heap.wait_signal(signals.at(2), 3, milliseconds(0)));
    }
    must(heap.barrier());
    if (heap.rank() == 1) must(heap.raise(signals.at(2), 0, 4));
    if (heap.rank() != 0) return;
    EXPECT_EQ(outcome(heap.wait_signal(signals.at(2), 4)), "success");
  });
}

TEST(SymmetricSignalConcurrency, ARankThatHasLeftIsLostToWhoWaitsForIt) {
  on_threads(3, [](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    if (heap.rank() != 0) return;
    EXPECT_THAT(outcome(heap.wait_signal(signals.at(0), 1, seconds(20), 2)),
                AllOf(StartsWith("peer_lost: Rank 2 of "), HasSubstr("has left")));
  });
}

TEST(SymmetricSignalConcurrency, WhenAllOthersHaveLeftNobodyIsLeftToRaiseIt) {
  on_threads(3, [](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    if (heap.rank() != 0) return;
    EXPECT_THAT(outcome(heap.wait_signal(signals.at(0), 1, seconds(20))),
                StartsWith("peer_lost: All other ranks of [Group "));
  });
}

// Rank 1 leaves in good order; rank 2, which is still there, raises the signal when it has.
TEST(SymmetricSignalConcurrency, WhoHasLeftInGoodOrderKeepsNobodyFromWaitingForOthers) {
  std::atomic<bool> has_left = false;
  on_threads(3, [&](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    if (heap.rank() == 1) {
      heap = SymmetricHeap();
      group = Group();
      has_left = true;
    } else if (heap.rank() == 2) {
      while (!has_left) std::this_thread::yield();
      std::this_thread::sleep_for(milliseconds(60));  // for rank 0 to look at the others; right without it, too
      must(heap.raise(signals.at(0), 0, 1));
      must(heap.wait_signal(signals.at(0), 1, {}, 0));
    } else {
      EXPECT_EQ(outcome(heap.wait_signal(signals.at(0), 1, seconds(20))), "success");
      must(heap.raise(signals.at(0), 2, 1));
    }
  });
}

TEST(SymmetricSignalConcurrency, AFailureOfTheGroupEndsWaits) {
  on_threads(3, [](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    const SymmetricSignals signals = must(heap.allocate_signals(1));
    if (heap.rank() == 0) {
      EXPECT_THAT(outcome(heap.wait_signal(signals.at(0), 1, seconds(20))), StartsWith("timeout: Rank 0 of [Gr"));
    } else {
      EXPECT_THAT(outcome(heap.barrier(milliseconds(100))), StartsWith("timeout: Rank 0 of [Gr"));
    }
  });
}

TEST(SymmetricSignalConcurrency, WhatIsNoSignalIsRefused) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricSignals signals = must(heap.allocate_signals(4));
    const SymmetricBuffer bytes = must(heap.allocate(DType::u8, {64}));
    const std::vector<std::uint8_t> from(64, 1);
    const std::string beyond = "invalid_argument: Signal (4) is not below the count (4) of signals";
    EXPECT_THAT(outcome(heap.raise(signals.at(4), 0, 1)), StartsWith(beyond));
    EXPECT_THAT(outcome(heap.wait_signal(signals.at(4), 1)), StartsWith(beyond));
    EXPECT_THAT(outcome(heap.value(signals.at(4))), StartsWith(beyond));
    EXPECT_THAT(outcome(heap.put_signal(bytes.on(1), from, signals.at(4), 1)), StartsWith(beyond));
    EXPECT_THAT(outcome(heap.value(signals.at(std::numeric_limits<std::uint64_t>::max()))), HasSubstr("Signal (1844"));
    EXPECT_THAT(outcome(heap.raise({must(bytes.slice(1, 16)), 0}, 0, 1)), HasSubstr("is no signals: these are u64."));
    EXPECT_THAT(outcome(heap.raise(signals.at(0), 2, 1)), HasSubstr("Rank (2) is not below the ranks (2)"));
    EXPECT_THAT(outcome(heap.wait_signal(signals.at(0), 1, {}, 2)), HasSubstr("Rank (2) is not below"));
    EXPECT_THAT(outcome(heap.put_signal(bytes.on(2), from, signals.at(0), 1)), HasSubstr("Rank (2) is not below"));
    EXPECT_THAT(outcome(heap.put_signal(must(bytes.slice(0, 8)).on(1), from, signals.at(0), 1)), HasSubstr("Size (64"));
    must(heap.barrier());
    EXPECT_EQ(must(heap.value(signals.at(0))), 0u) << "what was refused has raised nothing";
  });
}

}  // namespace
}  // namespace pintle::collective
