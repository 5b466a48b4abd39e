#include "collective/heap/heap_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace pintle::collective {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(HeapAllocator, StartsAtZeroAndRoundsUpToTheAlignment) {
  HeapAllocator heap(4096, 64);
  EXPECT_EQ(heap.allocate(1, 1), 0u);
  EXPECT_EQ(heap.allocate(65, 2), 64u);
  EXPECT_EQ(heap.allocate(64, 3), 192u);
  EXPECT_EQ(heap.free_bytes(), 4096u - 256u);
}

TEST(HeapAllocator, TakesAPlaceForNothing) {
  HeapAllocator heap(256, 64);
  const auto one = heap.allocate(0, 1);
  const auto other = heap.allocate(0, 2);
  ASSERT_TRUE(one && other);
  EXPECT_NE(*one, *other);
}

TEST(HeapAllocator, TakesTheSmallestPieceThatFitsAndTheLowestOfThose) {
  HeapAllocator heap(64 * 20, 64);
  std::vector<std::uint64_t> offsets;
  for (const std::uint64_t lines : {4u, 1u, 2u, 1u, 2u, 1u, 9u})
    offsets.push_back(*heap.allocate(lines * 64, offsets.size()));
  ASSERT_EQ(heap.free_bytes(), 0u);
  for (const std::size_t freed : {0u, 2u, 4u}) ASSERT_TRUE(heap.free(offsets[freed], freed));  // 4, 2 and 2 lines
  EXPECT_EQ(heap.allocate(100, 10), offsets[2]);
  EXPECT_EQ(heap.allocate(100, 11), offsets[4]);
  EXPECT_EQ(heap.allocate(100, 12), offsets[0]);
}

TEST(HeapAllocator, JoinsWhatIsFreedWithBothNeighbours) {
  HeapAllocator heap(64 * 4, 64);
  for (std::uint64_t serial = 0; serial < 4; ++serial) ASSERT_EQ(heap.allocate(64, serial), serial * 64);
  ASSERT_TRUE(heap.free(0, 0));
  ASSERT_TRUE(heap.free(128, 2));
  EXPECT_EQ(heap.largest(), 64u);
  ASSERT_TRUE(heap.free(64, 1));
  EXPECT_EQ(heap.largest(), 192u);
  ASSERT_TRUE(heap.free(192, 3));
  EXPECT_EQ(heap.largest(), 256u);
  EXPECT_EQ(heap.allocate(256, 4), 0u);
}

TEST(HeapAllocator, HasNoPlaceForMoreThanItsLargestPiece) {
  HeapAllocator heap(64 * 3, 64);
  ASSERT_EQ(heap.allocate(64, 0), 0u);
  ASSERT_EQ(heap.allocate(64, 1), 64u);
  ASSERT_EQ(heap.allocate(64, 2), 128u);
  ASSERT_TRUE(heap.free(0, 0));
  ASSERT_TRUE(heap.free(128, 2));
  EXPECT_EQ(heap.allocate(65, 3), std::nullopt);
  EXPECT_EQ(heap.free_bytes(), 128u);
  EXPECT_EQ(heap.largest(), 64u);
}

// M10: rounding a size up to the alignment must not wrap round to a small one.
TEST(HeapAllocator, HasNoPlaceForSizesWhoseRoundingOverflows) {
  HeapAllocator heap(4096, 64);
  for (const std::uint64_t bytes : {most, most - 1, most - 62, most - 63, std::uint64_t{1} << 63}) {
    EXPECT_EQ(heap.allocate(bytes, 1), std::nullopt) << bytes;
  }
  EXPECT_EQ(heap.free_bytes(), 4096u);
}

TEST(HeapAllocator, FreesWhatIsTakenOnce) {
  HeapAllocator heap(256, 64);
  ASSERT_EQ(heap.allocate(64, 7), 0u);
  EXPECT_FALSE(heap.free(0, 8)) << "another allocation's serial";
  EXPECT_FALSE(heap.free(64, 7));
  EXPECT_TRUE(heap.free(0, 7));
  EXPECT_FALSE(heap.free(0, 7));
  ASSERT_EQ(heap.allocate(60, 9), 0u);
  EXPECT_EQ(heap.size_of(0, 7), std::nullopt) << "the place is another's now";
  EXPECT_EQ(heap.size_of(0, 9), 60u);
}

TEST(HeapAllocator, OfLessThanTheAlignmentIsFull) {
  HeapAllocator heap(63, 64);
  EXPECT_EQ(heap.free_bytes(), 0u);
  EXPECT_EQ(heap.largest(), 0u);
  EXPECT_EQ(heap.allocate(0, 1), std::nullopt);
}

struct Taken {
  std::uint64_t offset, size, serial;
};

/// Every line of the heap, marked: an oracle without cleverness.
class Lines {
 public:
  explicit Lines(std::size_t count) : taken_(count) {}
  void mark(const Taken& piece, std::uint64_t alignment, bool taken) {
    const std::uint64_t last = (piece.offset + std::max<std::uint64_t>(piece.size, 1) - 1) / alignment;
    for (std::uint64_t line = piece.offset / alignment; line <= last; ++line) {
      ASSERT_NE(taken_[line], taken) << "line " << line;
      taken_[line] = taken;
    }
  }
  [[nodiscard]] std::uint64_t free() const { return static_cast<std::uint64_t>(std::ranges::count(taken_, false)); }
  [[nodiscard]] std::uint64_t longest() const {
    std::uint64_t run = 0, best = 0;
    for (const bool taken : taken_) best = std::max(best, run = taken ? 0 : run + 1);
    return best;
  }

 private:
  std::vector<bool> taken_;
};

// Two allocators, as on two ranks, see the same calls.
TEST(HeapAllocator, RandomCallsNeverOverlapAndAreTheSameOnEveryRank) {
  for (const std::uint64_t alignment : {64u, 256u}) {
    HeapAllocator heap(alignment * 200, alignment), twin(alignment * 200, alignment);
    Lines lines(200);
    std::vector<Taken> live;
    std::mt19937 random(static_cast<unsigned>(alignment));
    for (std::uint64_t serial = 0; serial < 3000; ++serial) {
      if (live.empty() || random() % 5 < 3) {
        const std::uint64_t size = random() % (alignment * 12);
        const std::uint64_t longest = lines.longest() * alignment;
        const auto offset = heap.allocate(size, serial);
        ASSERT_EQ(twin.allocate(size, serial), offset);
        ASSERT_EQ(offset.has_value(), std::max<std::uint64_t>(size, 1) <= longest);
        if (!offset) continue;
        ASSERT_EQ(*offset % alignment, 0u);
        live.push_back({*offset, size, serial});
        lines.mark(live.back(), alignment, true);
      } else {
        std::swap(live[random() % live.size()], live.back());
        ASSERT_TRUE(heap.free(live.back().offset, live.back().serial));
        ASSERT_TRUE(twin.free(live.back().offset, live.back().serial));
        lines.mark(live.back(), alignment, false);
        live.pop_back();
      }
      ASSERT_EQ(heap.free_bytes(), lines.free() * alignment);
      ASSERT_EQ(heap.largest(), lines.longest() * alignment);
    }
  }
}

}  // namespace
}  // namespace pintle::collective
