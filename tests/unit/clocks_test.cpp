// Stamps of uses, and the order of submissions of several queues. Without a device.
#include "core/buffers/clocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

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

/// Ends one queue after another, in this order, and counts the stamps that are looked at until all are finished.
int looks_until_finished(const std::vector<std::uint64_t>& order) {
  Stamps stamps;
  for (std::uint64_t queue = 1; queue <= order.size(); ++queue) stamps.set(queue, 1);
  std::set<std::uint64_t> ended;
  int looks = 0;
  const auto is_finished = [&](const Stamp& stamp) { return ++looks, ended.contains(stamp.queue); };
  for (const std::uint64_t queue : order) {
    EXPECT_FALSE(stamps.are_all(is_finished));
    ended.insert(queue);
  }
  EXPECT_TRUE(stamps.are_all(is_finished));
  return looks;
}

TEST(Stamps, AreLookedAtAFewTimesThoughTheirQueuesEndOneByOne) {
  constexpr int queues = 1000;
  std::vector<std::uint64_t> order(queues);
  std::iota(order.begin(), order.end(), 1);
  EXPECT_LE(looks_until_finished(order), 4 * queues) << "the oldest first";
  std::ranges::reverse(order);
  EXPECT_LE(looks_until_finished(order), 4 * queues) << "the newest first";
  std::ranges::shuffle(order, std::minstd_rand(1));
  EXPECT_LE(looks_until_finished(order), 4 * queues) << "in any order";
}

// A walk leaves a hint behind, which later uses of the same stamps make wrong.
TEST(Stamps, CountAgainWhenTheyAreSetAgain) {
  Stamps stamps;
  for (const std::uint64_t queue : {2U, 4U, 6U}) stamps.set(queue, 1);
  const auto up_to = [](std::uint64_t serial) { return [=](const Stamp& stamp) { return stamp.serial <= serial; }; };
  EXPECT_TRUE(stamps.are_all(up_to(1)));
  stamps.set(2, 5);
  EXPECT_FALSE(stamps.are_all(up_to(1))) << "set again";
  EXPECT_TRUE(stamps.are_all(up_to(5)));
  stamps.set(1, 7);
  EXPECT_FALSE(stamps.are_all(up_to(5))) << "a new first one";
  EXPECT_TRUE(stamps.are_all(up_to(7)));
  stamps.set(7, 9);
  EXPECT_FALSE(stamps.are_all(up_to(8))) << "a new last one";
  stamps.forget(up_to(8));
  EXPECT_EQ(stamps.size(), 1U);
  EXPECT_FALSE(stamps.are_all(up_to(8))) << "only the last one is left";
  stamps.forget(up_to(9));
  EXPECT_TRUE(stamps.are_all(up_to(0))) << "none is left";
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
