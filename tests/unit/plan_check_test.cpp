#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pintle/must.h"
#include "pintle/planner.h"
#include "unit/plan_support.h"

namespace pintle {
namespace {

using test::text_of;
using test::value;

Plan changed(const Plan& plan, std::size_t index, std::uint64_t offset) {
  std::vector<PlannedValue> values(plan.values().begin(), plan.values().end());
  values[index].offset = offset;
  std::vector<std::uint64_t> chunks(plan.chunks().begin(), plan.chunks().end());
  chunks[0] = std::max(chunks[0], offset + values[index].size);
  return must(Plan::create(std::move(values), std::move(chunks), 0));
}

/// By every pair: the words of two values that overlap, in either order, or nothing.
bool has_overlap(const PlanProblem& problem, const Plan& plan) {
  for (std::size_t i = 0; i < problem.values.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto &a = problem.values[i], &b = problem.values[j];
      const auto &x = plan.values()[i], &y = plan.values()[j];
      if (a.lower < b.upper && b.lower < a.upper && x.offset < y.offset + y.size && y.offset < x.offset + x.size)
        return true;
    }
  }
  return false;
}

TEST(PlanCheck, NamesTheTwoValuesThatOverlap) {
  const PlanProblem problem{.values = {value("a", 0, 4, 10), value("b", 2, 6, 10), value("c", 6, 8, 10)}};
  const Plan plan = must(lay_out(problem));
  const Plan bad = changed(plan, 1, plan.values()[0].offset);
  const std::string text = text_of(check(problem, bad));
  EXPECT_NE(text.find("[Value \"a\"]"), std::string::npos) << text;
  EXPECT_NE(text.find("[Value \"b\"]"), std::string::npos) << text;
  EXPECT_NE(text.find("overlap while both are alive"), std::string::npos) << text;
}

TEST(PlanCheck, EverySeededOverlapIsCaughtAndNothingElse) {
  int overlaps = 0, others = 0;
  std::mt19937_64 random(5);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const PlanProblem problem = test::random_problem(seed, 12);
    const Plan plan = must(lay_out(problem));
    const Plan moved = changed(plan, random() % 12, random() % (plan.total() + 1));
    const bool is_bad = has_overlap(problem, moved);
    (is_bad ? overlaps : others) += 1;
    EXPECT_EQ(!check(problem, moved), is_bad) << seed;
  }
  EXPECT_GT(overlaps, 50);
  EXPECT_GT(others, 20);
}

TEST(PlanCheck, NamesAMisalignedValue) {
  const PlanProblem loose{.values = {value("a", 0, 4, 10), value("b", 0, 6, 10)}};
  PlanProblem problem = loose;
  for (PlanValue& one : problem.values) one.alignment = 16;
  const Plan plan = must(lay_out(problem));
  auto values = std::vector(plan.values().begin(), plan.values().end());
  values[1].offset += 8;
  EXPECT_NE(text_of(Plan::create(values, {64}, 0)).find("[Value \"b\"] is no multiple of its alignment (16)"),
            std::string::npos);
  values[1].alignment = 8;
  const std::string text = text_of(check(problem, must(Plan::create(values, {64}, 0))));
  EXPECT_NE(text.find("[Value \"b\"] of the plan is not [Value \"b\"] of the problem"), std::string::npos) << text;
}

TEST(PlanCheck, NamesAValueThatLeftItsFixedPlace) {
  PlanProblem problem{.values = {value("f", 0, 4, 16)}};
  problem.values[0].assignment = Assignment::fixed;
  problem.values[0].offset = 32;
  const Plan plan = must(lay_out(problem));
  EXPECT_EQ(text_of(check(problem, changed(plan, 0, 16))),
            "[Value \"f\"] lies at chunk 0, offset 16, but is fixed at chunk 0, offset 32.");
}

TEST(PlanCheck, NamesAValueOutsideItsChunk) {
  const std::string text = text_of(Plan::create({{"a", 8, 1, Assignment::planned, 0, 4}}, {10}, 0));
  EXPECT_EQ(text, "The offset (4) of [Value \"a\"] with its size (8) exceeds its chunk (10).");
  EXPECT_EQ(text_of(Plan::create({{"a", 8, 1, Assignment::planned, 1, 0}}, {10}, 0)),
            "The chunk (1) of [Value \"a\"] is not below the number of chunks (1).");
}

TEST(PlanCheck, AChunkIsNotLargerThanTheLargest) {
  PlanProblem problem{.values = {value("a", 0, 1, 8), value("b", 0, 1, 8)}};
  const Plan plan = must(lay_out(problem));
  problem.largest_chunk = 15;
  EXPECT_EQ(text_of(check(problem, plan)), "Chunk 0 (16 bytes) exceeds the largest chunk (15).");
}

TEST(PlanCheck, APlanOfOtherValuesIsRefused) {
  const PlanProblem one{.values = {value("a", 0, 1, 8)}};
  PlanProblem two{.values = {value("a", 0, 1, 8), value("b", 0, 1, 8)}};
  EXPECT_EQ(text_of(check(two, must(lay_out(one)))), "The plan has 1 values, the problem has 2.");
  two.values.resize(1);
  two.values[0].size = 9;
  EXPECT_FALSE(check(two, must(lay_out(one))));
}

TEST(PlanCheck, InPlaceIsAtOneOffsetAndInThatOrderOnly) {
  PlanProblem problem{.values = {value("a", 0, 2, 8), value("b", 1, 3, 4)}, .in_place = {{0, 1}}};
  const Plan plan = must(lay_out(problem));
  EXPECT_EQ(plan.total(), 8u);
  EXPECT_FALSE(check(problem, changed(plan, 1, 4)));
  PlanProblem turned = problem;
  turned.in_place = {{1, 0}};
  EXPECT_FALSE(check(turned, plan));
  PlanProblem longer = problem;
  longer.values[0].upper = 3;
  EXPECT_FALSE(check(longer, plan));
}

}  // namespace
}  // namespace pintle
