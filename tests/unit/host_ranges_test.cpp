#include "kit/host_ranges.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

namespace pintle::kit {
namespace {

using Bytes = std::span<const std::byte>;

class HostRangesTest : public testing::Test {
 protected:
  [[nodiscard]] Bytes at(std::size_t begin, std::size_t size) const { return Bytes(memory_).subspan(begin, size); }

  std::array<std::byte, 1000> memory_{};
  HostRanges ranges_;
};

TEST_F(HostRangesTest, KnowWhatOverlaps) {
  HostRanges::Writes queue(ranges_);
  EXPECT_TRUE(ranges_.is_empty());
  EXPECT_FALSE(ranges_.overlap(at(0, 100)));
  queue.add(at(10, 10), 1);
  queue.add(at(50, 0), 1);
  EXPECT_FALSE(ranges_.is_empty());
  EXPECT_TRUE(ranges_.overlap(at(0, 11)));
  EXPECT_TRUE(ranges_.overlap(at(19, 1)));
  EXPECT_FALSE(ranges_.overlap(at(0, 10)));
  EXPECT_FALSE(ranges_.overlap(at(20, 80)));
  EXPECT_FALSE(ranges_.overlap(at(12, 0)));
}

TEST_F(HostRangesTest, ForgetWhatAQueueHasReached) {
  HostRanges::Writes queue(ranges_), other(ranges_);
  queue.add(at(0, 10), 1);
  queue.add(at(10, 10), 2);
  other.add(at(20, 10), 1);
  queue.reach(1);
  queue.reach(0);  // told late
  EXPECT_FALSE(ranges_.overlap(at(0, 10)));
  EXPECT_TRUE(ranges_.overlap(at(10, 10)));
  EXPECT_TRUE(ranges_.overlap(at(20, 10)));
  queue.reach(2);
  EXPECT_FALSE(ranges_.is_empty());
  other.reach(1);
  EXPECT_TRUE(ranges_.is_empty());
}

TEST_F(HostRangesTest, ForgetAQueueThatGoes) {
  {
    HostRanges::Writes queue(ranges_);
    queue.add(at(0, 10), 1);
  }
  EXPECT_FALSE(ranges_.overlap(at(0, 10)));
}

TEST_F(HostRangesTest, TakeBackOneSubmission) {
  HostRanges::Writes queue(ranges_);
  queue.add(at(0, 10), 1);
  queue.add(at(10, 10), 2);
  queue.add(at(20, 10), 2);
  queue.take_back(2);
  EXPECT_TRUE(ranges_.overlap(at(0, 10)));
  EXPECT_FALSE(ranges_.overlap(at(10, 20)));
}

// More than there is room for at first, some of them reached.
TEST_F(HostRangesTest, KeepManyUnfinishedWrites) {
  HostRanges::Writes queue(ranges_);
  for (std::size_t i = 0; i < 500; ++i) {
    queue.add(at(i, 1), i + 1);
    if (i == 40) queue.reach(20);
  }
  for (std::size_t i = 0; i < 500; ++i) EXPECT_EQ(ranges_.overlap(at(i, 1)), i >= 20) << i;
}

using HostRangesConcurrency = HostRangesTest;

TEST_F(HostRangesConcurrency, ReachingBesideNoting) {
  HostRanges::Writes queue(ranges_);
  std::atomic<std::uint64_t> noted{0};
  std::thread reacher([&] {
    for (std::uint64_t reached = 0; reached < 10'000;) {
      reached = noted.load();
      queue.reach(reached);
    }
  });
  for (std::uint64_t serial = 1; serial <= 10'000; ++serial) {
    queue.add(at(serial % 100, 1), serial);
    EXPECT_TRUE(ranges_.overlap(at(serial % 100, 1))) << serial;
    noted.store(serial);
  }
  reacher.join();
  EXPECT_TRUE(ranges_.is_empty());
}

}  // namespace
}  // namespace pintle::kit
