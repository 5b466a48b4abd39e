// Waiters by value, in whatever order they come.
#include "kit/waiter_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "core/time/timeline.h"
#include "core/time/worklist.h"

namespace pintle::core {
namespace {

using kit::WaiterTree;

struct Node final : WaiterTree::Node {
  std::size_t number = 0;
};

using Values = std::vector<std::uint64_t>;

/// Numbers of the nodes, from the first to the last, while they are removed one after another.
std::vector<std::size_t> drained(WaiterTree& tree) {
  std::vector<std::size_t> numbers;
  while (auto* const first = static_cast<Node*>(tree.first())) {
    numbers.push_back(first->number);
    tree.remove(*first);
  }
  return numbers;
}

void fill(WaiterTree& tree, std::deque<Node>& nodes, const Values& values) {
  for (const std::uint64_t value : values) {
    Node& node = nodes.emplace_back();
    node.number = nodes.size() - 1;
    tree.add(node, value);
  }
}

std::vector<std::size_t> sorted(const Values& values) {
  std::vector<std::size_t> numbers(values.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::ranges::sort(numbers, {}, [&](std::size_t number) { return std::pair(values[number], number); });
  return numbers;
}

Values random_values(std::mt19937& random, std::size_t count, std::uint64_t most) {
  Values values(count);
  std::ranges::generate(values, [&] { return std::uniform_int_distribution<std::uint64_t>(0, most)(random); });
  return values;
}

TEST(WaiterTree, IsEmptyAtFirst) {
  const WaiterTree tree;
  EXPECT_EQ(tree.first(), nullptr);
  EXPECT_EQ(tree.last(), nullptr);
}

TEST(WaiterTree, ThoseOfOneValueStayInTheirOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    WaiterTree tree;
    std::deque<Node> nodes;
    const Values values = random_values(random, 1 + static_cast<std::size_t>(round), 9);
    fill(tree, nodes, values);
    const auto wanted = sorted(values);
    EXPECT_EQ(static_cast<Node*>(tree.last())->number, wanted.back());
    EXPECT_EQ(drained(tree), wanted);
    EXPECT_EQ(tree.last(), nullptr);
  }
}

TEST(WaiterTree, AnyNodeLeaves) {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    WaiterTree tree;
    std::deque<Node> nodes;
    const Values values = random_values(random, 60, 20);
    fill(tree, nodes, values);
    auto left = sorted(values);
    std::vector<std::size_t> leaving(values.size());
    std::iota(leaving.begin(), leaving.end(), std::size_t{0});
    std::ranges::shuffle(leaving, random);
    for (const std::size_t number : leaving) {
      ASSERT_EQ(static_cast<Node*>(tree.first())->number, left.front());
      ASSERT_EQ(static_cast<Node*>(tree.last())->number, left.back());
      EXPECT_TRUE(nodes[number].is_linked());
      tree.remove(nodes[number]);
      EXPECT_FALSE(nodes[number].is_linked());
      std::erase(left, number);
    }
    EXPECT_EQ(tree.first(), nullptr);
  }
}

TEST(WaiterTree, ANodeComesAgain) {
  WaiterTree tree;
  std::deque<Node> nodes;
  fill(tree, nodes, {3, 1, 2});
  tree.remove(nodes[1]);
  tree.add(nodes[1], 4);
  EXPECT_EQ(nodes[1].value(), 4u);
  EXPECT_EQ(drained(tree), (std::vector<std::size_t>{2, 0, 1}));
}

/// A waiter that notes when it is told.
struct Noting final : Timeline::Waiter {
  std::vector<std::uint64_t>* told = nullptr;
  void fire(Worklist&) noexcept override { told->push_back(value()); }
};

// A search from one end of a list takes minutes for any of these orders but one.
TEST(WaiterTree, MillionsOfStepsNotBillionsWhateverTheOrder) {
  constexpr std::size_t count = 300'000;
  Values rising(count);
  std::iota(rising.begin(), rising.end(), std::uint64_t{1});
  Values falling(rising.rbegin(), rising.rend());
  Values shuffled = rising;
  std::ranges::shuffle(shuffled, std::mt19937(9));
  for (const Values& order : {rising, falling, shuffled}) {
    Timeline timeline(0);
    std::vector<std::uint64_t> told;
    told.reserve(count);
    std::vector<Noting> waiters(count);
    for (std::size_t i = 0; i < count; ++i) {
      waiters[i].told = &told;
      ASSERT_EQ(timeline.add(waiters[i], order[i]), PointStatus::pending);
    }
    Worklist worklist;
    timeline.raise(count, worklist);
    EXPECT_EQ(told, rising);
    EXPECT_FALSE(timeline.has_waiters(count));
  }
}

}  // namespace
}  // namespace pintle::core
