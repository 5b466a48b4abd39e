#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <utility>
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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(SymmetricHeapConcurrency, WhatIsPutIsWhatTheOwnerReads) {
  for (const std::uint32_t ranks : {1u, 2u, 3u, 4u, 7u}) {
    with_heaps(ranks, 1 << 16, [&](SymmetricHeap& heap) {
      const SymmetricBuffer buffer = must(heap.allocate(DType::i32, {ranks, 33}));
      std::vector<std::int32_t> mine(33);
      std::iota(mine.begin(), mine.end(), static_cast<std::int32_t>(heap.rank() * 100));
      for (std::uint32_t to = 0; to < ranks; ++to) {
        must(heap.put(must(buffer.slice(heap.rank() * 33, 33)).on(to), mine));
      }
      must(heap.barrier());
      const auto all = must(heap.local<std::int32_t>(buffer));
      ASSERT_EQ(all.size(), ranks * 33);
      for (std::uint32_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i], static_cast<std::int32_t>(i / 33 * 100 + i % 33));
      }
    });
  }
}

TEST(SymmetricHeapConcurrency, GetReadsAnyRanksPiece) {
  with_heaps(3, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::f64, {5}));
    std::ranges::fill(must(heap.local<double>(buffer)), heap.rank() + 0.5);
    must(heap.barrier());
    for (std::uint32_t from = 0; from < heap.ranks(); ++from) {
      std::vector<double> values(5);
      must(heap.get(values, buffer.on(from)));
      EXPECT_THAT(values, Each(from + 0.5));
    }
  });
}

TEST(SymmetricHeapConcurrency, OffsetsAreTheSameOnEveryRank) {
  constexpr std::uint32_t ranks = 4;
  std::vector<std::vector<std::uint64_t>> offsets(ranks);
  with_heaps(ranks, 1 << 14, [&](SymmetricHeap& heap) {
    std::mt19937 random(7);  // the same calls on every rank
    std::vector<SymmetricBuffer> live;
    for (int step = 0; step < 300; ++step) {
      if (live.empty() || random() % 3 != 0) {
        const auto buffer = heap.allocate(DType::u16, {random() % 700});
        if (buffer) live.push_back(*buffer);
        offsets[heap.rank()].push_back(buffer ? buffer->offset_bytes() : most);
      } else {
        std::swap(live[random() % live.size()], live.back());
        must(heap.free(live.back()));
        live.pop_back();
      }
    }
    for (const SymmetricBuffer& buffer : live) must(heap.free(buffer));
    EXPECT_EQ(heap.usage().free, 1u << 14);
    EXPECT_EQ(heap.usage().largest, 1u << 14);
  });
  EXPECT_THAT(offsets, Each(offsets.front()));
  EXPECT_THAT(offsets.front(), testing::Contains(most)) << "some did not fit";
  for (const std::uint64_t offset : offsets.front()) EXPECT_TRUE(offset == most || offset % 64 == 0);
}

// Y11: a barrier that is used again and again is a barrier each time.
TEST(SymmetricHeapConcurrency, ABarrierIsOneEachTime) {
  for (const std::uint32_t ranks : {1u, 2u, 5u}) {
    std::atomic<std::uint32_t> came = 0;
    with_heaps(ranks, 4096, [&](SymmetricHeap& heap) {
      for (std::uint32_t round = 1; round <= 200; ++round) {
        came.fetch_add(1);
        must(heap.barrier());
        EXPECT_GE(came.load(), round * ranks);
        must(heap.barrier());
      }
    });
    EXPECT_EQ(came.load(), 200 * ranks);
  }
}

// Y12: between barriers a slow rank reads what others have put, and nobody overwrites it meanwhile.
TEST(SymmetricHeapConcurrency, ASlowRankReadsBeforeOthersWriteAgain) {
  with_heaps(3, 1 << 16, [](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u32, {1000}));
    for (std::uint32_t round = 0; round < 50; ++round) {
      const std::uint32_t to = (heap.rank() + 1) % heap.ranks();
      must(heap.put(buffer.on(to), std::vector<std::uint32_t>(1000, round * 10 + heap.rank())));
      must(heap.barrier());
      const auto values = must(heap.local<std::uint32_t>(buffer));
      const std::uint32_t from = (heap.rank() + heap.ranks() - 1) % heap.ranks();
      for (const std::uint32_t value : values) {
        ASSERT_EQ(value, round * 10 + from);
        if (heap.rank() == round % 3 && &value == &values[500]) std::this_thread::yield();
      }
      must(heap.barrier());
    }
  });
}

// Y12: memory is not another allocation's before every rank has done with it.
TEST(SymmetricHeapConcurrency, FreeReturnsWhenEveryRankHasCome) {
  std::atomic<bool> is_done = false;
  with_heaps(2, 4096, [&](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u8, {64}));
    if (heap.rank() == 1) {
      std::vector<std::uint8_t> bytes(64);
      for (int i = 0; i < 1000; ++i) must(heap.get(bytes, buffer.on(0)));
      is_done = true;
    }
    must(heap.free(buffer));
    EXPECT_TRUE(is_done);
  });
}

TEST(SymmetricHeapConcurrency, AHeapOfAnotherSizeIsTheSameErrorEverywhere) {
  Errors errors(3);
  on_threads(3, [&](Group& group) {
    errors[group.rank()] = outcome(SymmetricHeap::create(group, group.rank() == 2 ? 8192 : 4096));
    EXPECT_TRUE(SymmetricHeap::create(group, 4096)) << "the group has not failed";
  });
  EXPECT_EQ(same(errors),
            "invalid_argument: Rank 2 of the group makes a symmetric heap of 8192 bytes where rank 0 makes a symmetric "
            "heap of 4096 bytes.");
}

TEST(SymmetricHeapConcurrency, AHeapOfNoSizeOrTooLargeASizeIsRefused) {
  on_threads(2, [&](Group& group) {
    for (const std::uint64_t bytes : {std::uint64_t{0}, most, most - 4094}) {
      EXPECT_THAT(outcome(SymmetricHeap::create(group, bytes)),
                  StartsWith("invalid_argument: A symmetric heap cannot have this size (" + std::to_string(bytes)));
    }
    const auto heap = SymmetricHeap::create(group, std::uint64_t{1} << 62);
    EXPECT_FALSE(heap);
    EXPECT_TRUE(group.health());
    EXPECT_TRUE(SymmetricHeap::create(group, 1));
  });
}

TEST(SymmetricHeapConcurrency, DifferentAllocationsAreTheSameErrorEverywhere) {
  Errors shapes(3), dtypes(3), calls(3), signals(3);
  with_heaps(3, 4096, [&](SymmetricHeap& heap) {
    const std::uint32_t rank = heap.rank();
    shapes[rank] = outcome(heap.allocate(DType::f32, {rank == 1 ? 9u : 8u}));
    dtypes[rank] = outcome(heap.allocate(rank == 2 ? DType::i32 : DType::f32, {8}));
    signals[rank] = outcome(heap.allocate_signals(rank + 1));
    calls[rank] = rank == 1 ? outcome(heap.barrier()) : outcome(heap.allocate(DType::f32, {8}));
    EXPECT_EQ(heap.usage().free, 4096u);
    EXPECT_TRUE(heap.allocate(DType::f32, {8}));
  });
  EXPECT_THAT(same(shapes), AllOf(StartsWith("invalid_argument: Rank 1 of the group allocates f32[9] in [Sym"),
                                  HasSubstr("] where rank 0 allocates f32[8] in [Sym")));
  EXPECT_THAT(same(dtypes), AllOf(StartsWith("invalid_argument: Rank 2 of the group allocates i32[8] in [Sym"),
                                  HasSubstr("] where rank 0 allocates f32[8] in [Sym")));
  EXPECT_THAT(same(signals), AllOf(HasSubstr("Rank 1 of the group allocates signals [2]"), HasSubstr("signals [1]")));
  EXPECT_THAT(same(calls), AllOf(HasSubstr("Rank 1 of the group comes to a barrier of [SymmetricHeap "),
                                 HasSubstr("where rank 0 allocates f32[8]")));
}

TEST(SymmetricHeapConcurrency, DifferentBuffersAreNotFreed) {
  Errors errors(2);
  with_heaps(2, 4096, [&](SymmetricHeap& heap) {
    const SymmetricBuffer one = must(heap.allocate(DType::u8, {64}));
    const SymmetricBuffer other = must(heap.allocate(DType::u8, {64}));
    errors[heap.rank()] = outcome(heap.free(heap.rank() == 0 ? one : other));
    EXPECT_TRUE(heap.local(one));
    EXPECT_TRUE(heap.local(other));
  });
  EXPECT_THAT(same(errors), AllOf(HasSubstr("Rank 1 of the group frees u8[64] at 64 (allocation 2)"),
                                  HasSubstr("where rank 0 frees u8[64] at 0 (allocation 1)")));
}

TEST(SymmetricHeapConcurrency, OutOfMemorySaysWhatThereIs) {
  with_heaps(2, 64 * 10, [](SymmetricHeap& heap) {
    const SymmetricBuffer first = must(heap.allocate(DType::u8, {64 * 4}));
    const SymmetricBuffer middle = must(heap.allocate(DType::u8, {64}));
    must(heap.free(first));
    EXPECT_EQ(outcome(heap.allocate(DType::u8, {64 * 6})),
              "out_of_memory: Size (384 bytes) is larger than the largest free piece (320 of 576 free bytes) of " +
                  heap.text() + ".");
    must(heap.free(middle));
    EXPECT_TRUE(heap.allocate(DType::u8, {64 * 10}));
  });
}

TEST(SymmetricHeapConcurrency, WhatIsFreedIsStale) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer old = must(heap.allocate(DType::u8, {64}));
    const SymmetricBuffer part = must(old.slice(8, 8));
    must(heap.free(old));
    const SymmetricBuffer young = must(heap.allocate(DType::u8, {64}));
    ASSERT_EQ(young.offset_bytes(), old.offset_bytes());
    std::vector<std::uint8_t> bytes(64);
    const std::string words = "stale: [SymmetricBuffer u8[64] at 0 of " + heap.text() + "] has been freed.";
    EXPECT_EQ(outcome(heap.put(old.on(1), bytes)), words);
    EXPECT_EQ(outcome(heap.get(bytes, old.on(1))), words);
    EXPECT_EQ(outcome(heap.local(old)), words);
    EXPECT_EQ(outcome(heap.free(old)), words);
    EXPECT_THAT(outcome(heap.local(part)), StartsWith("stale: "));
    EXPECT_TRUE(heap.put(young.on(1 - heap.rank()), bytes));
  });
}

// C4: what was allocated in another heap, or in one of an earlier group, is told apart however alike it looks.
TEST(SymmetricHeapConcurrency, BuffersOfAnotherHeapAreRefused) {
  on_threads(2, [](Group& group) {
    SymmetricHeap one = must(SymmetricHeap::create(group, 4096, {.label = "one"}));
    SymmetricHeap other = must(SymmetricHeap::create(group, 4096, {.label = "other"}));
    const SymmetricBuffer buffer = must(one.allocate(DType::u8, {64}));
    const SymmetricBuffer alike = must(other.allocate(DType::u8, {64}));
    ASSERT_EQ(buffer.offset_bytes(), alike.offset_bytes());
    EXPECT_THAT(outcome(other.local(buffer)), AllOf(StartsWith("invalid_argument: [SymmetricBuffer u8[64] at 0 of "),
                                                    HasSubstr("is not of [SymmetricHeap "), HasSubstr("\"other\"]")));
    EXPECT_THAT(outcome(other.put(buffer.on(0), std::vector<std::uint8_t>(64))), HasSubstr("is not of"));
    EXPECT_THAT(outcome(other.free(buffer)), HasSubstr("is not of"));
    EXPECT_THAT(outcome(one.local(SymmetricBuffer())), HasSubstr("An empty symmetric buffer is no memory of "));
    EXPECT_TRUE(one.local(buffer));
    must(one.barrier());
  });
}

// C1, M10: what does not fit is refused, and not a byte beside the buffer is written.
TEST(SymmetricHeapConcurrency, WhatDoesNotFitIsRefusedAndWritesNothing) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer whole = must(heap.allocate(DType::f32, {32}));
    const SymmetricBuffer part = must(whole.slice(8, 8));
    std::ranges::fill(must(heap.local<float>(whole)), 7.0f);
    must(heap.barrier());
    const std::vector<std::byte> bytes(256, std::byte{1});
    std::vector<std::byte> room(256);
    const auto refused = [&](std::uint32_t rank, DType dtype, std::size_t size, const std::string& words) {
      EXPECT_THAT(outcome(heap.put(part.on(rank), {dtype, std::span(bytes).first(size)})),
                  AllOf(StartsWith("invalid_argument: "), HasSubstr(words)));
      EXPECT_THAT(outcome(heap.get({dtype, std::span(room).first(size)}, part.on(rank))),
                  AllOf(StartsWith("invalid_argument: "), HasSubstr(words)));
    };
    refused(1, DType::f32, 31, "Size (31 bytes) is no whole number of f32 (4 bytes each).");
    refused(1, DType::f32, 28, "Size (28 bytes) is not the size (32 bytes) of [SymmetricBuffer f32[8] at 32 of");
    refused(1, DType::f32, 36, "Size (36 bytes) is not the size (32 bytes)");
    refused(1, DType::f32, 0, "Size (0 bytes) is not the size (32 bytes)");
    refused(1, DType::i32, 32, "Dtype (i32) is not that (f32) of [SymmetricBuffer f32[8] at 32 of");
    refused(1, static_cast<DType>(99), 32, "Dtype (none) is not that (f32)");
    refused(2, DType::f32, 32, "Rank (2) is not below the ranks (2) of [SymmetricHeap ");
    refused(std::numeric_limits<std::uint32_t>::max(), DType::f32, 32, "Rank (4294967295) is not below");
    must(heap.barrier());
    EXPECT_THAT(must(heap.local<float>(whole)), Each(7.0f));
    EXPECT_THAT(room, Each(std::byte{0}));
  });
}

TEST(SymmetricHeapConcurrency, MemoryThatOverlapsTheOtherSideIsRefused) {
  with_heaps(2, 4096, [](SymmetricHeap& heap) {
    const SymmetricBuffer whole = must(heap.allocate(DType::u8, {64}));
    const auto own = must(heap.local<std::uint8_t>(whole));
    const SymmetricView part = must(whole.slice(8, 16)).on(heap.rank());
    for (const std::size_t first : {0u, 8u, 23u}) {
      EXPECT_THAT(outcome(heap.put(part, own.subspan(first, 16))), HasSubstr("overlaps [SymmetricBuffer u8[16] at 8"));
      EXPECT_THAT(outcome(heap.get(own.subspan(first, 16), part)), StartsWith("invalid_argument: "));
    }
    EXPECT_TRUE(heap.put(part, own.subspan(24, 16)));
    const SymmetricView there = must(whole.slice(8, 16)).on(1 - heap.rank());
    must(heap.barrier());
    if (heap.rank() == 1) return;
    EXPECT_TRUE(heap.put(there, own.subspan(8, 16))) << "the same place of another rank";
  });
}

TEST(SymmetricHeap, SlicesEndWhereTheBufferEnds) {
  on_threads(1, [](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    const SymmetricBuffer buffer = must(heap.allocate(DType::u16, {4, 25}));
    const SymmetricBuffer part = must(buffer.slice(40, 60));
    EXPECT_EQ(part.offset_bytes(), 80u);
    EXPECT_EQ(part.size_bytes(), 120u);
    EXPECT_EQ(part.shape(), Shape{60});
    EXPECT_EQ(part.dtype(), DType::u16);
    EXPECT_EQ(must(part.slice(60, 0)).size_bytes(), 0u);
    EXPECT_EQ(outcome(part.slice(1, 60)),
              "invalid_argument: Elements from 1 on, 60 of them, reach past the end (60) of a symmetric buffer.");
    for (const auto& [first, count] : {std::pair{61ull, 0ull},
                                       {most, 1ull},
                                       {1ull, most},
                                       {most, most},
                                       {most / 2 + 1, most / 2 + 1},
                                       {(most >> 1) + 1, 2ull}}) {
      EXPECT_THAT(outcome(part.slice(first, count)), StartsWith("invalid_argument: ")) << first << " " << count;
    }
    EXPECT_THAT(outcome(heap.free(part)), HasSubstr("is a slice: free the whole allocation."));
    EXPECT_THAT(outcome(heap.free(must(buffer.slice(0, 99)))), HasSubstr("is a slice"));
    EXPECT_TRUE(heap.free(buffer));
  });
}

TEST(SymmetricHeap, ShapesWhoseBytesOverflowAreRefused) {
  on_threads(1, [](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    for (const Shape& shape :
         {Shape{most}, Shape{1ull << 32, 1ull << 32}, Shape{1ull << 62}, Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}}) {
      EXPECT_THAT(outcome(heap.allocate(DType::f32, shape)), StartsWith("invalid_argument: Shape ")) << shape.text();
    }
    EXPECT_THAT(outcome(heap.allocate(DType::f32, {1ull << 61})),
                StartsWith("out_of_memory: Size (9223372036854775808"));
    EXPECT_THAT(outcome(heap.allocate(DType::u8, {most})), StartsWith("out_of_memory: Size (18446744073709551615"));
    EXPECT_THAT(outcome(heap.allocate(static_cast<DType>(0), {1})), HasSubstr("no dtype with this number (0)"));
    EXPECT_THAT(outcome(heap.allocate_signals(most)), StartsWith("invalid_argument: "));
    EXPECT_EQ(heap.usage().free, 4096u);
  });
}

TEST(SymmetricHeap, NothingIsAllocatedAndPutAsWell) {
  on_threads(1, [](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    const SymmetricBuffer nothing = must(heap.allocate(DType::f32, {0}));
    EXPECT_TRUE(must(heap.local<float>(nothing)).empty());
    EXPECT_TRUE(heap.put(nothing.on(0), std::vector<float>()));
    EXPECT_TRUE(heap.get(std::vector<float>(), nothing.on(0)));
    EXPECT_TRUE(heap.free(nothing));
    const SymmetricBuffer one = must(heap.allocate(DType::f32, Shape{}));
    EXPECT_EQ(one.size_bytes(), 4u);
  });
}

TEST(SymmetricHeap, LocalElementsHaveTheBuffersDtype) {
  on_threads(1, [](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    const SymmetricBuffer buffer = must(heap.allocate(DType::f32, {3}));
    EXPECT_EQ(must(heap.local<float>(buffer)).size(), 3u);
    EXPECT_EQ(must(heap.local(buffer)).size(), 12u);
    EXPECT_THAT(outcome(heap.local<std::int32_t>(buffer)), HasSubstr("Dtype (i32) is not that (f32)"));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(must(heap.local(buffer)).data()) % 64, 0u);
  });
}

TEST(SymmetricHeap, AnEmptyHeapAnswersSo) {
  SymmetricHeap heap;
  const std::string words = "invalid_argument: The symmetric heap is empty or moved from.";
  EXPECT_EQ(outcome(heap.allocate(DType::u8, {1})), words);
  EXPECT_EQ(outcome(heap.free(SymmetricBuffer())), words);
  EXPECT_EQ(outcome(heap.local(SymmetricBuffer())), words);
  EXPECT_EQ(outcome(heap.put(SymmetricView(), Elements())), words);
  EXPECT_EQ(outcome(heap.put(SymmetricView(), Elements(), SubmitOptions())), words);
  EXPECT_EQ(outcome(heap.wait_signal({}, 1)), words);
  EXPECT_EQ(outcome(heap.barrier()), words);
  EXPECT_EQ(outcome(heap.flush()), words);
  EXPECT_EQ(outcome(heap.on_device(SymmetricBuffer())), words);
  EXPECT_EQ(heap.ranks(), 0u);
  EXPECT_EQ(heap.usage().size, 0u);
  Group group;
  EXPECT_THAT(outcome(SymmetricHeap::create(group, 1)), HasSubstr("this one is empty"));
}

TEST(SymmetricHeapConcurrency, AHeapIsMovedAndOutlivesItsGroup) {
  on_threads(2, [](Group& group) {
    SymmetricHeap made = must(SymmetricHeap::create(group, 4096, {.label = "kept"}));
    const std::string text = made.text();
    SymmetricHeap heap = std::move(made);
    group = Group();
    EXPECT_EQ(heap.text(), text);
    EXPECT_THAT(text, HasSubstr("\"kept\"]"));
    const SymmetricBuffer buffer = must(heap.allocate(DType::u8, {1}));
    must(heap.put(buffer.on(1 - heap.rank()), std::vector<std::uint8_t>{9}));
    must(heap.barrier());
    EXPECT_EQ(must(heap.local<std::uint8_t>(buffer))[0], 9);
    must(heap.barrier());
  });
}

// C3: lengths and offsets are 64 bits wide. Only what is written of the pieces takes memory.
TEST(SymmetricHeapConcurrency, OffsetsReachBeyondFourGibibytes) {
  constexpr std::uint64_t large = (std::uint64_t{4} << 30) + 4096;
  with_heaps(2, large + 4096, [&](SymmetricHeap& heap) {
    const SymmetricBuffer buffer = must(heap.allocate(DType::u8, {large}));
    const SymmetricBuffer behind = must(heap.allocate(DType::u8, {8}));
    EXPECT_EQ(behind.offset_bytes(), large);
    const std::vector<std::uint8_t> bytes{1, 2, 3, static_cast<std::uint8_t>(heap.rank())};
    const SymmetricBuffer end = must(buffer.slice(large - 4, 4));
    must(heap.put(end.on(1 - heap.rank()), bytes));
    must(heap.barrier());
    EXPECT_THAT(must(heap.local<std::uint8_t>(end)), ElementsAre(1, 2, 3, 1 - heap.rank()));
    EXPECT_THAT(must(heap.local<std::uint8_t>(behind)), Each(0));
    EXPECT_EQ(must(heap.local<std::uint8_t>(buffer))[3], 0) << "an offset of 32 bits ends here";
  });
}

// C3, Y11: a rank that does not come ends a barrier by its deadline, and one that has gone sooner.
TEST(SymmetricHeapConcurrency, ARankThatDoesNotComeIsNamed) {
  Errors errors(2);
  std::atomic<bool> is_over = false;
  on_threads(3, [&](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    if (heap.rank() == 2) {
      while (!is_over) std::this_thread::yield();
      return;
    }
    errors[heap.rank()] = outcome(heap.barrier(milliseconds(300)));
    if (heap.rank() == 0) is_over = true;
    EXPECT_FALSE(heap.barrier()) << "the group has failed";
  });
  EXPECT_THAT(errors, Each(AllOf(StartsWith("timeout: Rank 2 of [Group "), HasSubstr("is late"))));
}

TEST(SymmetricHeapConcurrency, ARankThatHasGoneIsNamed) {
  Errors errors(2);
  on_threads(3, [&](Group& group) {
    SymmetricHeap heap = must(SymmetricHeap::create(group, 4096));
    if (heap.rank() == 2) return;
    errors[heap.rank()] = outcome(heap.allocate(DType::u8, {1}));
  });
  EXPECT_THAT(errors, Each(AllOf(StartsWith("peer_lost: Rank 2 of [Group "), HasSubstr("has left"))));
}

TEST(SymmetricHeapConcurrency, AGroupThatHasFailedHasNoNewHeap) {
  on_threads(2, [&](Group& group) {
    if (group.rank() == 1) return;
    const Result<void> failed = group.run(Collective::barrier(), seconds(20));
    ASSERT_FALSE(failed);
    EXPECT_EQ(outcome(SymmetricHeap::create(group, 4096)), outcome(failed));
  });
}

}  // namespace
}  // namespace pintle::collective
