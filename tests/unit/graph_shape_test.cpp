// Which commands of a list stand one behind another in a graph: for the bytes that they touch, and for what they cost.
#include "kit/graph_shape.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kit/loop_cost.h"
#include "unit/cpu_support.h"
#include "unit/seam_support.h"

namespace pintle::kit {
namespace {

using backend::MemoryId;
using backend::Range;
using test::List;
using test::range_of;

constexpr float microsecond = 1000;
constexpr MemoryId x{1}, y{2};

backend::Fill fill(const Range& to) { return {to, {}, 1, DType::u8}; }
Range slot(std::uint32_t number) {
  Range range;
  range.slot = number;
  range.size = 1;
  return range;
}

/// So many commands each; every one reads what all of the phase before have written.
List phases(std::initializer_list<std::uint64_t> counts) {
  List list;
  std::uint64_t memory = 0, before = 0;
  for (const std::uint64_t count : counts) {
    ++memory;
    for (std::uint64_t index = 0; index < count; ++index) {
      const Range to = range_of(MemoryId{memory}, index, 1);
      if (memory == 1) list.add(fill(to));
      else list.add(backend::Copy{to, range_of(MemoryId{memory - 1}, 0, before)});
      if (index == 0 && memory != 1) list.barrier();
    }
    before = count;
  }
  return list;
}

/// "1<0 j<0,1 2<j": a node and what it is behind; j is a node that does nothing.
std::string text(const GraphShape& shape) {
  std::string out;
  const auto node = [&](const std::string& own, std::span<const std::string> before) {
    out += (out.empty() ? "" : " ") + own;
    for (std::size_t index = 0; index < before.size(); ++index) out += (index == 0 ? "<" : ",") + before[index];
    return Result<std::string>(own);
  };
  const auto built = shape.build<std::string>(
      [&](std::size_t index, std::span<const std::string> before) { return node(std::to_string(index), before); },
      [&](std::span<const std::string> before) { return node("j", before); });
  EXPECT_TRUE(built);
  return out;
}
std::string text(const List& list) { return text(GraphShape(list, 0)); }

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

TEST(GraphEdges, WhatTouchesTheSameBytesIsBehind) {
  EXPECT_EQ(text(List({fill(range_of(x, 0, 4)), fill(range_of(x, 3, 4))})), "0 1<0");
  EXPECT_EQ(text(List({fill(range_of(x, 0, 4)), fill(range_of(x, 4, 4)), fill(range_of(y, 0, 4))})), "0 1 2");
  EXPECT_EQ(text(List({fill(range_of(x, 0, 4)), backend::Copy{range_of(y, 0, 4), range_of(x, 0, 4)},
                       fill(range_of(x, 0, 4))})),
            "0 1<0 2<0,1");
}

TEST(GraphEdges, ReadersOfTheSameBytesStandSideBySide) {
  const Range from = range_of(x, 0, 4);
  EXPECT_EQ(text(List({backend::Copy{range_of(y, 0, 4), from}, backend::Copy{range_of(y, 4, 4), from}})), "0 1");
}

TEST(GraphEdges, ChainsOverlapInWhicheverOrderTheyAreListed) {
  EXPECT_EQ(
      text(List({fill(range_of(x, 0, 1)), fill(range_of(x, 0, 1)), fill(range_of(y, 0, 1)), fill(range_of(y, 0, 1))})),
      "0 2 1<0 3<2");
}

TEST(GraphEdges, AnEdgeThatAnotherImpliesIsNone) {
  EXPECT_EQ(text(List({fill(range_of(x, 0, 4)), fill(range_of(x, 0, 4)), fill(range_of(x, 0, 4))})), "0 1<0 2<1");
}

TEST(GraphEdges, WhatLiesInASlotMayBeAnyBytes) {
  EXPECT_EQ(text(List({fill(range_of(x, 0, 1)), fill(slot(0)), fill(range_of(y, 0, 1))})), "0 1<0 2<1");
  EXPECT_EQ(text(List({backend::Copy{range_of(x, 0, 1), slot(0)}, backend::Copy{range_of(y, 0, 1), slot(1)}})),
            "0 1<0");
  backend::Download down;
  down.from = slot(0);
  EXPECT_EQ(text(List({down, down})), "0 1");
}

TEST(GraphEdges, AKernelTouchesItsBuffersAsItsParametersSay) {
  const auto launch = [](List& list, Access access) {
    backend::Exec exec;
    exec.first_argument = static_cast<std::uint32_t>(list.arguments.size());
    exec.argument_count = 1;
    list.arguments.push_back(test::buffer_argument(range_of(x, 0, 4)));
    list.arguments.back().access = access;
    list.add(exec);
  };
  List list;
  for (const Access access : {Access::read, Access::read, Access::read_write, Access::read}) launch(list, access);
  EXPECT_EQ(text(list), "0 1 2<0,1 3<2");
}

TEST(GraphShape, FewCommandsStandAlone) {
  EXPECT_EQ(text(phases({3})), "0 1 2");
  EXPECT_EQ(text(GraphShape(phases({3}), 50 * microsecond)), "0 1 2");
  EXPECT_FALSE(GraphShape(phases({8, 8}), 0).has_choice());
}

TEST(GraphShape, ManyMeetInANodeThatDoesNothing) {
  EXPECT_EQ(text(phases({9, 1})), "0 1 2 3 4<0 5<1 6<2 7<3 8<4 9<0,1,2,3,4,5,6,7,8");
  EXPECT_EQ(text(phases({2, 9})), "0 1 j<0,1 2<j 3<j 4<j 5<j 6<2 7<3 8<4 9<5 10<6");
  EXPECT_EQ(text(phases({1, 9})), "0 1<0 2<0 3<0 4<0 5<1 6<2 7<3 8<4 9<5");
}

// A wide level is behind all that is before it, also what no command of the level before is behind.
TEST(GraphShape, AWideLevelIsBehindEverything) {
  List list({fill(range_of(x, 0, 1)), fill(range_of(y, 0, 1)), fill(range_of(y, 0, 1))});
  for (std::uint64_t index = 0; index < 9; ++index)
    list.add(backend::Copy{range_of(MemoryId{3}, index, 1), range_of(y, 0, 1)});
  EXPECT_TRUE(text(list).starts_with("0 1 2<1 j<0,2 3<j"));
}

TEST(GraphShape, ManyTinyCommandsAreFewChainsAndLongOnesStandAlone) {
  EXPECT_EQ(roots(GraphShape(phases({1000}), 0)), 8u);
  EXPECT_EQ(roots(GraphShape(phases({1000}), unknown_cost)), 8u);
  EXPECT_EQ(roots(GraphShape(phases({1000}), 3 * microsecond)), 8u);
  EXPECT_EQ(roots(GraphShape(phases({64}), 20 * microsecond)), 64u);
  EXPECT_EQ(roots(GraphShape(phases({9}), 0)), 4u);
  EXPECT_TRUE(GraphShape(phases({64}), 0).has_choice());
}

TEST(GraphShape, AVeryLongListGoesByItsBarriers) {
  List list;
  for (int count = 0; count < 5000; ++count) list.add(fill(range_of(x, 0, 1))).barrier();
  list.commands.push_back(list.commands.back());
  list.commands.back().barrier_before = false;
  EXPECT_TRUE(text(list).ends_with(" 4998<4997 4999<4998 5000<4998"));
}

TEST(GraphShape, WhatARunTakesGivesBackWhatACommandCosts) {
  for (const float cost : {0.f, 2 * microsecond, 20 * microsecond}) {
    for (const GraphShape& shape : {GraphShape(phases({64}), 0), GraphShape(phases({64}), 20 * microsecond),
                                    GraphShape(phases({5, 1, 100}), 0)}) {
      const auto [time, depth] = shape.empty();
      LoopCost learned;
      learned.learn(Duration(static_cast<std::int64_t>(shape.expected(cost))) - time, depth);
      EXPECT_NEAR(learned.of(1), cost, 1);
    }
  }
}

TEST(GraphShape, AnotherCostIsAnotherShapeOfTheSameList) {
  const GraphShape narrow(phases({64, 1, 64}), 0), wide = narrow.reshaped(20 * microsecond);
  EXPECT_EQ(text(wide), text(GraphShape(phases({64, 1, 64}), 20 * microsecond)));
  EXPECT_LT(wide.expected(20 * microsecond), narrow.expected(20 * microsecond));
  EXPECT_EQ(text(wide.reshaped(0)), text(narrow));
}

TEST(GraphShape, NodesThatStandAloneAreLaunchedOneByOne) {
  EXPECT_EQ(GraphShape(phases({64}), 0).launches(), 1u);
  EXPECT_EQ(GraphShape(phases({64, 1}), 20 * microsecond).launches(), 65u);
}

// The figures of an H200 that the rule comes from, in microseconds.
TEST(GraphShape, ExpectsWhatWasMeasured) {
  const auto expect_near = [](const GraphShape& shape, float cost, float measured) {
    EXPECT_NEAR(shape.expected(cost) / microsecond, measured, measured / 8);
  };
  expect_near(GraphShape(phases({64}), 20 * microsecond), 20 * microsecond, 98.4f);
  expect_near(GraphShape(phases({1000}), 1000 * microsecond), 0, 1052);
  expect_near(GraphShape(List(std::vector<backend::Operation>(1000, fill(range_of(x, 0, 1)))), 0), 0, 508);
}

}  // namespace
}  // namespace pintle::kit
