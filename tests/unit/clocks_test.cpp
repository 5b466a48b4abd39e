// Stamps of uses, and the order of submissions of several queues. Without a device.
#include "core/buffers/clocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

namespace pintle::core {
namespace {

TEST(Stamps, KeepTheLastSerialOfEachQueue) {
  Stamps stamps;
  stamps.set(1, 5);
  stamps.set(2, 9);
  stamps.set(1, 6);
  std::map<std::uint64_t, std::uint64_t> seen;
  for (const Stamp& stamp : stamps) EXPECT_TRUE(seen.emplace(stamp.queue, stamp.serial).second);
  EXPECT_EQ(seen, (std::map<std::uint64_t, std::uint64_t>{{1, 6}, {2, 9}}));
}

TEST(QueueOrder, FollowsWaitsThroughQueues) {
  const auto never = [](const Stamp&) { return false; };
  QueueOrder order;
  order.begin();
  EXPECT_TRUE(order.is_behind({1, 5}, {1, 5}));
  EXPECT_FALSE(order.is_behind({1, 5}, {1, 6}));
  EXPECT_FALSE(order.is_behind({1, 5}, {2, 1}));
  order.add({2, 3}, {1, 5}, never);
  order.add({3, 4}, {2, 3}, never);
  EXPECT_TRUE(order.is_behind({3, 4}, {1, 5}));
  EXPECT_TRUE(order.is_behind({3, 9}, {1, 4}));
  EXPECT_FALSE(order.is_behind({3, 3}, {1, 5})) << "before the wait";
  EXPECT_FALSE(order.is_behind({3, 4}, {1, 6}));
  order.add({4, 1}, {2, 2}, never);
  EXPECT_FALSE(order.is_behind({4, 1}, {1, 5})) << "behind a submission that was before the wait";
}

TEST(QueueOrder, ForgetsWhatIsFinished) {
  QueueOrder order;
  order.begin();
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    order.add({2, i}, {1, i}, [&](const Stamp& stamp) { return stamp.serial + 10 < i; });
    ASSERT_TRUE(order.is_behind({2, i}, {1, i}));
  }
}

}  // namespace
}  // namespace pintle::core
