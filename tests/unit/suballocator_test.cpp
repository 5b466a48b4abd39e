#include "kit/suballocator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace pintle::kit {
namespace {

TEST(Suballocator, HandsOutTheWholeBlockAndNoMore) {
  Suballocator block(100);
  EXPECT_EQ(block.size(), 100u);
  EXPECT_EQ(block.largest(), 100u);
  EXPECT_EQ(block.allocate(60, 1), 0u);
  EXPECT_EQ(block.allocate(40, 1), 60u);
  EXPECT_EQ(block.used(), 100u);
  EXPECT_EQ(block.largest(), 0u);
  EXPECT_FALSE(block.allocate(1, 1));
}

TEST(Suballocator, RefusesWhatDoesNotFit) {
  Suballocator block(100);
  EXPECT_FALSE(block.allocate(101, 1));
  EXPECT_FALSE(block.allocate(~std::uint64_t{0}, 4096));
  EXPECT_EQ(block.allocate(1, 1), 0u);
  EXPECT_FALSE(block.allocate(50, 64));  // [64, 114)
  EXPECT_EQ(block.allocate(36, 64), 64u);
}

TEST(Suballocator, AlignsAndUsesTheGap) {
  Suballocator block(1024);
  EXPECT_EQ(block.allocate(10, 256), 0u);
  EXPECT_EQ(block.allocate(10, 256), 256u);
  EXPECT_EQ(block.allocate(246, 2), 10u);  // exactly what alignment skipped
  EXPECT_EQ(block.used(), 266u);
}

TEST(Suballocator, NeighboursThatAreFreeBecomeOne) {
  for (const std::vector<std::uint64_t>& order :
       {std::vector<std::uint64_t>{0, 25, 50, 75}, {75, 50, 25, 0}, {25, 75, 0, 50}, {50, 0, 75, 25}}) {
    Suballocator block(100);
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(block.allocate(25, 1));
    for (const std::uint64_t offset : order) block.release(offset);
    EXPECT_EQ(block.used(), 0u);
    EXPECT_EQ(block.largest(), 100u);
    EXPECT_EQ(block.allocate(100, 1), 0u);
  }
}

TEST(Suballocator, TakesTheSmallestRangeThatFits) {
  Suballocator block(100);
  ASSERT_EQ(block.allocate(20, 1), 0u);
  ASSERT_EQ(block.allocate(10, 1), 20u);
  ASSERT_EQ(block.allocate(10, 1), 30u);
  block.release(20);
  EXPECT_EQ(block.allocate(8, 1), 20u);  // not behind everything
  EXPECT_EQ(block.allocate(2, 1), 28u);
}

TEST(Suballocator, ReleasingWhatIsFreeChangesNothing) {
  Suballocator block(100);
  ASSERT_EQ(block.allocate(10, 1), 0u);
  block.release(0);
  block.release(0);
  block.release(55);
  EXPECT_EQ(block.used(), 0u);
  EXPECT_EQ(block.largest(), 100u);
}

// Random requests against a plain list of what is taken: no two overlap, and everything comes back.
TEST(Suballocator, RandomRequestsNeverOverlap) {
  constexpr std::uint64_t size = 1 << 16;
  std::mt19937 random(7);
  Suballocator block(size);
  std::map<std::uint64_t, std::uint64_t> taken;
  std::uint64_t used = 0;
  for (int step = 0; step < 20000; ++step) {
    if (random() % 2 == 0 || taken.empty()) {
      const std::uint64_t wanted = 1 + random() % 3000;
      const std::uint64_t alignment = std::uint64_t{1} << random() % 13;
      const auto offset = block.allocate(wanted, alignment);
      if (!offset) continue;
      ASSERT_EQ(*offset % alignment, 0u);
      ASSERT_LE(*offset + wanted, size);
      const auto next = taken.lower_bound(*offset);
      ASSERT_TRUE(next == taken.end() || *offset + wanted <= next->first);
      ASSERT_TRUE(next == taken.begin() || std::prev(next)->first + std::prev(next)->second <= *offset);
      taken[*offset] = wanted;
      used += wanted;
    } else {
      const auto gone = std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
      block.release(gone->first);
      used -= gone->second;
      taken.erase(gone);
    }
    ASSERT_EQ(block.used(), used);
  }
  for (const auto& [offset, length] : taken) block.release(offset);
  EXPECT_EQ(block.used(), 0u);
  EXPECT_EQ(block.largest(), size);
}

}  // namespace
}  // namespace pintle::kit
