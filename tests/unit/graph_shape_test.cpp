// Which commands of a list stand one behind another in a graph, for what they cost.
#include "kit/graph_shape.h"

#include <gtest/gtest.h>

#include <string>

#include "kit/loop_cost.h"

namespace pintle::kit {
namespace {

using backend::Command;

/// A list of phases: so many commands each, a barrier before each but the first.
class Phases {
 public:
  explicit Phases(std::initializer_list<std::size_t> counts) {
    for (const std::size_t count : counts) {
      for (std::size_t index = 0; index < count; ++index)
        commands_.push_back({backend::Fill{}, nullptr, index == 0 && !commands_.empty()});
    }
  }
  [[nodiscard]] GraphShape shape(float cost) const { return {{commands_, {}}, cost}; }

 private:
  std::vector<Command> commands_;
};

/// "1<0 2<0 j3<1,2": a node and what it is behind. Joins have numbers as well.
std::string text(const GraphShape& shape) {
  std::string out;
  int next = 0;
  const auto node = [&](std::span<const int> before, const char* mark) {
    out += (out.empty() ? "" : " ") + std::string(mark) + std::to_string(next);
    for (std::size_t index = 0; index < before.size(); ++index)
      out += (index == 0 ? "<" : ",") + std::to_string(before[index]);
    return Result<int>(next++);
  };
  const auto built = shape.build<int>([&](std::size_t, std::span<const int> before) { return node(before, ""); },
                                      [&](std::span<const int> before) { return node(before, "j"); });
  EXPECT_TRUE(built);
  return out;
}

/// How many nodes are behind nothing.
std::size_t roots(const GraphShape& shape) {
  std::size_t count = 0;
  const auto built = shape.build<int>(
      [&](std::size_t, std::span<const int> before) {
        count += before.empty();
        return Result<int>(1);
      },
      [](std::span<const int>) { return Result<int>(2); });
  EXPECT_TRUE(built);
  return count;
}

constexpr float microsecond = 1000;

TEST(GraphShape, BarriersMakeAChain) { EXPECT_EQ(text(Phases({1, 1, 1}).shape(0)), "0 1<0 2<1"); }

TEST(GraphShape, FewCommandsStandAlone) {
  EXPECT_EQ(text(Phases({3}).shape(0)), "0 1 2");
  EXPECT_EQ(text(Phases({3}).shape(50 * microsecond)), "0 1 2");
  EXPECT_FALSE(Phases({8, 8}).shape(0).has_choice());
}

TEST(GraphShape, WidePhasesMeetInANodeThatDoesNothing) {
  EXPECT_EQ(text(Phases({2, 1, 2}).shape(0)), "0 1 2<0,1 3<2 4<2");
  EXPECT_EQ(text(Phases({2, 3}).shape(0)), "0 1 j2<0,1 3<2 4<2 5<2");
}

TEST(GraphShape, ManyTinyCommandsAreFewChainsAndLongOnesStandAlone) {
  EXPECT_EQ(roots(Phases({1000}).shape(0)), 8u);
  EXPECT_EQ(roots(Phases({1000}).shape(unknown_cost)), 8u);
  EXPECT_EQ(roots(Phases({1000}).shape(3 * microsecond)), 8u);
  EXPECT_EQ(roots(Phases({64}).shape(20 * microsecond)), 64u);
  EXPECT_EQ(roots(Phases({9}).shape(0)), 4u);
  EXPECT_TRUE(Phases({64}).shape(0).has_choice());
}

TEST(GraphShape, ALessonGivesBackWhatACommandCosts) {
  for (const float cost : {0.f, 2 * microsecond, 20 * microsecond}) {
    for (const GraphShape& shape :
         {Phases({64}).shape(0), Phases({64}).shape(20 * microsecond), Phases({5, 1, 100}).shape(0)}) {
      const auto [time, depth] = shape.empty();
      const auto elapsed = time + Duration(static_cast<std::int64_t>(cost * static_cast<float>(depth)));
      LoopCost learned;
      learned.learn(elapsed - time, depth);
      EXPECT_NEAR(learned.of(1), cost, 1);
    }
  }
}

TEST(GraphShape, IsOutgrownWhereAnotherIsMuchFaster) {
  EXPECT_TRUE(Phases({64}).shape(0).is_outgrown(20 * microsecond));
  EXPECT_TRUE(Phases({64}).shape(20 * microsecond).is_outgrown(0));
  EXPECT_FALSE(Phases({64}).shape(0).is_outgrown(1 * microsecond));
  EXPECT_FALSE(Phases({1, 1, 1}).shape(0).is_outgrown(500 * microsecond));
}

TEST(GraphShape, NodesThatStandAloneAreLaunchedOneByOne) {
  EXPECT_EQ(Phases({64}).shape(0).launches(), 1u);
  EXPECT_EQ(Phases({64, 1}).shape(20 * microsecond).launches(), 65u);
}

// The figures of an H200 that the rule comes from, in microseconds.
TEST(GraphShape, ExpectsWhatWasMeasured) {
  const auto expected = [](const GraphShape& shape, float cost) {
    const auto [time, depth] = shape.empty();
    return (static_cast<float>(time.count()) + cost * static_cast<float>(depth)) / microsecond;
  };
  EXPECT_NEAR(expected(Phases({64}).shape(20 * microsecond), 20 * microsecond), 98.4, 98.4 / 8);
  std::vector<Command> chain(1000, Command{backend::Fill{}, nullptr, true});
  EXPECT_NEAR(expected(GraphShape({chain, {}}, 0), 0), 508, 508. / 8);
}

}  // namespace
}  // namespace pintle::kit
