#include <gtest/gtest.h>

#include <array>
#include <string>

#include "pintle/must.h"
#include "pintle/planner.h"
#include "plan/greedy.h"
#include "plan/model.h"
#include "unit/plan_support.h"

namespace pintle {
namespace {

using namespace std::chrono_literals;
using test::text_of;
using test::value;

constexpr PlanBudget some_nodes{.nodes = 200'000};

TEST(PlanLayOut, NothingTakesNothing) {
  const Plan plan = must(lay_out({}));
  EXPECT_EQ(plan.total(), 0u);
  EXPECT_EQ(plan.lower_bound(), 0u);
  EXPECT_TRUE(plan.is_optimal());
  EXPECT_TRUE(plan.chunks().empty());
}

TEST(PlanLayOut, UpperIsExclusive) {
  const Plan plan = must(lay_out({.values = {value("a", 0, 2, 10), value("b", 2, 4, 10)}}));
  EXPECT_EQ(plan.total(), 10u);
  EXPECT_EQ(must(lay_out({.values = {value("a", 0, 3, 10), value("b", 2, 4, 10)}})).total(), 20u);
}

TEST(PlanLayOut, TheSearchIsAsGoodAsTryingEverything) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const PlanProblem problem = test::random_problem(seed, 3 + seed % 4, seed % 3 == 0 ? 4 : 1);
    const Plan plan = must(lay_out(problem, some_nodes));
    EXPECT_EQ(text_of(check(problem, plan)), "accepted") << seed;
    const std::uint64_t least = test::least_total(problem);
    EXPECT_EQ(plan.total(), least) << seed;
    EXPECT_LE(plan.lower_bound(), least) << seed;
  }
}

TEST(PlanLayOut, GreedyIsRightAndTheBoundIsBelowTheLeastTotal) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const PlanProblem problem = test::random_problem(1000 + seed, 6, 8);
    const Plan plan = must(lay_out(problem));
    EXPECT_EQ(text_of(check(problem, plan)), "accepted");
    EXPECT_LE(plan.lower_bound(), test::least_total(problem)) << seed;
    EXPECT_GE(plan.total(), test::least_total(problem)) << seed;
  }
}

TEST(PlanLayOut, TightPackingsArePackedTight) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const PlanProblem problem = test::tight_packing(seed, 60 + 10 * seed, 100'000, 1'000'000);
    const Plan plan = must(lay_out(problem, some_nodes));
    EXPECT_EQ(plan.total(), 1'000'000u) << seed;
    EXPECT_TRUE(plan.is_optimal());
    EXPECT_EQ(text_of(check(problem, plan)), "accepted");
  }
}

TEST(PlanLayOut, GreedyIsNeverWorseThanFirstFitBySize) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const PlanProblem problem = test::tight_packing(seed, 50 + 10 * seed, 1000, 10'000);
    const auto checked = must(plan::check_problem(problem));
    const auto model = plan::model_of(checked, plan::Sharing::off);
    EXPECT_LE(must(lay_out(problem)).total(), plan::first_fit_by_size(model).total) << seed;
  }
}

TEST(PlanLayOut, NodesGiveTheSamePlanEachTime) {
  const PlanProblem problem = test::tight_packing(7, 250, 60, 600);
  const PlanBudget budget{.nodes = 5000};
  EXPECT_EQ(must(lay_out(problem, budget)).text(), must(lay_out(problem, budget)).text());
}

TEST(PlanLayOut, ATimeEnds) {
  const PlanProblem problem = test::tight_packing(3, 400, 40, 300);
  const Plan plan = must(lay_out(problem, {.time = 50ms}));
  EXPECT_EQ(text_of(check(problem, plan)), "accepted");
}

TEST(PlanLayOut, TheBoundKnowsAlignment) {
  const Plan plan = must(lay_out({.values = {value("a", 0, 1, 5, 64), value("b", 0, 1, 6, 64)}}, some_nodes));
  EXPECT_EQ(plan.total(), 69u);
  EXPECT_TRUE(plan.is_optimal());
}

TEST(PlanLayOut, TheSearchProvesWhatTheBoundDoesNotSee) {
  // Aligned to 8 and to 1: the bound is of bytes, and no plan reaches it.
  PlanProblem problem{.values = {value("a", 0, 2, 3, 8), value("b", 0, 2, 3, 8), value("c", 0, 2, 6)}};
  problem.values.push_back(value("d", 2, 3, 1));
  const Plan plan = must(lay_out(problem, some_nodes));
  EXPECT_EQ(plan.total(), test::least_total(problem));
  EXPECT_TRUE(plan.is_optimal()) << plan.lower_bound();
}

TEST(PlanLayOut, APersistentValueSharesWithNothing) {
  PlanProblem problem{.values = {value("w", 0, 0, 7), value("a", 0, 1, 5), value("b", 1, 2, 5)}};
  problem.values[0].lifetime = Lifetime::persistent;
  const Plan plan = must(lay_out(problem));
  EXPECT_EQ(plan.total(), 12u);
  EXPECT_TRUE(plan.is_optimal());
}

TEST(PlanLayOut, AnExternalValueAndAnEmptyOneTakeNothing) {
  PlanProblem problem{.values = {value("x", 0, 9, 1000), value("a", 0, 1, 5), value("e", 0, 3, 0)}};
  problem.values[0].assignment = Assignment::external;
  const Plan plan = must(lay_out(problem));
  EXPECT_EQ(plan.total(), 5u);
  EXPECT_EQ(plan.values()[0].assignment, Assignment::external);
}

TEST(PlanLayOut, FixedValuesStayAndOthersGoAround) {
  PlanProblem problem{.values = {value("f", 0, 4, 16), value("a", 0, 2, 8), value("b", 1, 3, 8), value("c", 3, 5, 24)}};
  problem.values[0].assignment = Assignment::fixed;
  problem.values[0].offset = 8;
  const Plan plan = must(lay_out(problem, some_nodes));
  EXPECT_EQ(plan.values()[0].offset, 8u);
  EXPECT_EQ(text_of(check(problem, plan)), "accepted");
  EXPECT_GE(plan.lower_bound(), 24u);
}

TEST(PlanLayOut, FixedValuesThatOverlapAreNamed) {
  PlanProblem problem{.values = {value("f", 0, 4, 16), value("g", 3, 5, 16)}};
  for (PlanValue& one : problem.values) one.assignment = Assignment::fixed;
  problem.values[1].offset = 8;
  const std::string text = text_of(lay_out(problem));
  EXPECT_NE(text.find("[Value \"f\"] and [Value \"g\"]"), std::string::npos) << text;
  problem.values[1].lower = 4;
  EXPECT_EQ(text_of(lay_out(problem)), "accepted");
}

TEST(PlanLayOut, ChainsInPlaceTakeTheBytesOfOne) {
  PlanProblem problem{.values = {value("a", 0, 2, 8), value("b", 1, 3, 8), value("c", 2, 4, 6), value("d", 0, 9, 3)}};
  problem.in_place = {{0, 1}, {1, 2}};
  const Plan plan = must(lay_out(problem));
  EXPECT_EQ(plan.total(), 11u);
  EXPECT_TRUE(plan.is_optimal());
  EXPECT_EQ(plan.values()[0].offset, plan.values()[2].offset);
  problem.in_place.clear();
  EXPECT_EQ(must(lay_out(problem)).total(), 19u);
}

TEST(PlanLayOut, APairThatDoesNotMeetOrGrowsHasNoEffect) {
  PlanProblem longer{.values = {value("a", 0, 3, 8), value("b", 1, 4, 8)}, .in_place = {{0, 1}}};
  EXPECT_EQ(must(lay_out(longer)).total(), 16u);
  PlanProblem larger{.values = {value("a", 0, 2, 8), value("b", 1, 4, 9)}, .in_place = {{0, 1}}};
  EXPECT_EQ(must(lay_out(larger)).total(), 17u);
}

TEST(PlanLayOut, OneValueIsTakenOnceAndTakesOnce) {
  PlanProblem problem{.values = {value("a", 0, 2, 8), value("b", 0, 2, 8), value("c", 1, 3, 8), value("d", 1, 3, 8)}};
  problem.in_place = {{0, 2}, {1, 2}, {0, 3}};
  const Plan plan = must(lay_out(problem, some_nodes));
  EXPECT_EQ(text_of(check(problem, plan)), "accepted");
  EXPECT_LE(plan.lower_bound(), plan.total());
  EXPECT_LE(plan.total(), 24u);
}

TEST(PlanLayOut, AValueOfOneStepIsNoBridge) {
  PlanProblem problem{.values = {value("a", 0, 2, 8), value("b", 1, 2, 8), value("c", 1, 3, 8)}};
  problem.in_place = {{0, 1}, {1, 2}};
  const Plan plan = must(lay_out(problem));
  EXPECT_EQ(text_of(check(problem, plan)), "accepted");
}

TEST(PlanLayOut, RandomPairsGivePlansThatAreRight) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    PlanProblem problem = test::random_problem(seed, 12, 4);
    for (std::uint32_t i = 0; i < 12; ++i) {
      for (std::uint32_t j = 0; j < 12; ++j) {
        if (i != j && (i + j + seed) % 2 == 0) problem.in_place.push_back({i, j});
      }
    }
    const auto plan = lay_out(problem, {.nodes = 1000});
    EXPECT_EQ(text_of(plan), "accepted") << seed;
  }
}

TEST(PlanLayOut, ChunksHoldWholeValues) {
  PlanProblem problem;
  for (int i = 0; i < 10; ++i) problem.values.push_back(value("v" + std::to_string(i), 0, 1, 30, 4));
  problem.largest_chunk = 64;
  const Plan plan = must(lay_out(problem));
  EXPECT_EQ(plan.chunks().size(), 5u);
  EXPECT_EQ(text_of(check(problem, plan)), "accepted");
  std::uint64_t sum = 0;
  for (const std::uint64_t chunk : plan.chunks()) {
    EXPECT_LE(chunk, 64u);
    sum += chunk;
  }
  EXPECT_EQ(plan.total(), sum);
  problem.largest_chunk = 1000;
  EXPECT_EQ(must(lay_out(problem)).chunks().size(), 1u);
}

TEST(PlanLayOut, RandomProblemsInChunksAreRight) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    PlanProblem problem = test::random_problem(seed, 30, 8);
    problem.largest_chunk = 11;
    problem.values[3].assignment = Assignment::fixed;
    problem.values[3].chunk = 2;
    EXPECT_EQ(text_of(lay_out(problem, some_nodes)), "accepted") << seed;
  }
}

TEST(PlanLayOut, NamesAreFound) {
  const Plan plan = must(lay_out({.values = {value("x", 0, 1, 4), value("y", 0, 1, 4)}}));
  const auto [y, x] = must(plan.ids("y", "x"));
  EXPECT_EQ(y, 1u);
  EXPECT_EQ(x, 0u);
  EXPECT_EQ(plan.find("z").error().code(), Errc::not_found);
  EXPECT_EQ(plan.find("z").error().message(), "The plan has no value \"z\" among its 2.");
}

}  // namespace
}  // namespace pintle
