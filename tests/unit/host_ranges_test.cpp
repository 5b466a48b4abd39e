#include "kit/host_ranges.h"

#include <gtest/gtest.h>

#include <array>

namespace pintle::kit {
namespace {

constexpr auto first = backend::QueueId{1}, second = backend::QueueId{2};

TEST(HostRanges, KnowsWhatOverlaps) {
  HostRanges ranges;
  std::array<std::byte, 100> memory{};
  const std::span<const std::byte> all(memory);
  EXPECT_FALSE(ranges.overlap(all));
  ranges.add(all.subspan(10, 20), first, 1);
  EXPECT_TRUE(ranges.overlap(all));
  EXPECT_TRUE(ranges.overlap(all.subspan(29, 1)));
  EXPECT_TRUE(ranges.overlap(all.subspan(0, 11)));
  EXPECT_FALSE(ranges.overlap(all.subspan(30, 10)));
  EXPECT_FALSE(ranges.overlap(all.subspan(0, 10)));
}

TEST(HostRanges, ForgetsWhatAQueueHasReached) {
  HostRanges ranges;
  std::array<std::byte, 100> memory{};
  const std::span<const std::byte> all(memory);
  ranges.add(all.subspan(0, 10), first, 1);
  ranges.add(all.subspan(10, 10), first, 2);
  ranges.add(all.subspan(20, 10), second, 1);
  ranges.forget(first, 0, 1);
  EXPECT_FALSE(ranges.overlap(all.subspan(0, 10)));
  EXPECT_TRUE(ranges.overlap(all.subspan(10, 10)));
  EXPECT_TRUE(ranges.overlap(all.subspan(20, 10)));
  ranges.forget(first, 3, 9);
  EXPECT_TRUE(ranges.overlap(all.subspan(10, 10)));
  ranges.forget(first, 2, 2);
  ranges.forget(second, 0, 5);
  EXPECT_FALSE(ranges.overlap(all));
}

}  // namespace
}  // namespace pintle::kit
