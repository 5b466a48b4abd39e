#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "pintle/must.h"
#include "pintle/planner.h"
#include "unit/plan_support.h"

namespace pintle {
namespace {

using test::text_of;
using test::used;

PlanProblem with_order(std::vector<PlanValue> values, StepOrder order) {
  PlanProblem problem{.values = std::move(values)};
  problem.order = std::move(order);
  return problem;
}

TEST(PlanRelation, ConcurrentStepsShareNothing) {
  // Two queues: 0 -> 1 and 2 -> 3, with nothing between them.
  const std::vector<PlanValue> values{used("a", {0}, 8), used("b", {1}, 8), used("c", {2}, 8), used("d", {3}, 8)};
  EXPECT_EQ(must(lay_out(with_order(values, {4, {{0, 1}, {2, 3}}}))).total(), 16u);
  EXPECT_EQ(must(lay_out(with_order(values, {4, {{0, 1}, {1, 2}, {2, 3}}}))).total(), 8u);
  EXPECT_EQ(must(lay_out(with_order(values, {4, {}}))).total(), 32u);
}

TEST(PlanRelation, AllUsesOfOneComeBeforeAllOfTheOther) {
  // b is used at 2 as well, which nothing orders after a's use at 1.
  const auto problem = with_order({used("a", {0, 1}, 8), used("b", {2, 3}, 8)}, {4, {{0, 1}, {1, 3}, {0, 2}, {2, 3}}});
  EXPECT_EQ(must(lay_out(problem)).total(), 16u);
}

TEST(PlanRelation, AChainOfStepsIsALineOfTime) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const PlanProblem line = test::random_problem(seed, 6);
    PlanProblem steps = line;
    steps.order = StepOrder{16, {}};
    for (std::uint32_t i = 0; i + 1 < 16; ++i) steps.order->before.emplace_back(i, i + 1);
    for (PlanValue& value : steps.values)
      value.uses = {static_cast<std::uint32_t>(value.lower), static_cast<std::uint32_t>(value.upper - 1)};
    const Plan plan = must(lay_out(steps));
    EXPECT_EQ(plan.lower_bound(), must(lay_out(line)).lower_bound()) << seed;
    EXPECT_GE(plan.total(), test::least_total(line));
  }
}

TEST(PlanRelation, RandomRelationsGivePlansThatAreRight) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    std::mt19937_64 random(seed);
    PlanProblem problem{.order = StepOrder{20, {}}};
    for (std::uint32_t i = 0; i < 20; ++i) {
      for (std::uint32_t j = i + 1; j < 20; ++j) {
        if (random() % 5 == 0) problem.order->before.emplace_back(i, j);
      }
    }
    for (std::uint32_t i = 0; i < 25; ++i) {
      std::vector<std::uint32_t> uses;
      for (std::uint64_t n = 1 + random() % 3; n > 0; --n) uses.push_back(static_cast<std::uint32_t>(random() % 20));
      problem.values.push_back(used("v" + std::to_string(i), uses, 1 + random() % 50));
      problem.in_place.push_back({i, (i + 7) % 25});
    }
    problem.values[0].lifetime = Lifetime::persistent;
    const auto plan = lay_out(problem);
    ASSERT_EQ(text_of(plan), "accepted") << seed;
    EXPECT_LE(plan->lower_bound(), plan->total());
  }
}

TEST(PlanRelation, InPlaceWhereTheLastUseIsTheFirst) {
  auto problem = with_order({used("a", {0, 1}, 8), used("b", {1, 2}, 8)}, {3, {{0, 1}, {1, 2}}});
  EXPECT_EQ(must(lay_out(problem)).total(), 16u);
  problem.in_place = {{0, 1}};
  const Plan plan = must(lay_out(problem));
  EXPECT_EQ(plan.total(), 8u);
  EXPECT_TRUE(plan.is_optimal());
  problem.order->before = {{0, 1}};  // step 2 may run before step 0
  EXPECT_EQ(must(lay_out(problem)).total(), 16u);
}

TEST(PlanRelation, ACycleIsNamed) {
  const auto problem = with_order({used("a", {0}, 8)}, {6, {{0, 1}, {1, 4}, {4, 3}, {3, 1}, {3, 5}}});
  EXPECT_EQ(text_of(lay_out(problem)), "Step 1 happens before itself: 1, 4, 3, 1.");
  EXPECT_EQ(text_of(lay_out(with_order({}, {2, {{1, 1}}}))), "Step 1 happens before itself: 1, 1.");
}

TEST(PlanRelation, ALongCycleIsShortened) {
  StepOrder order{100, {{99, 0}}};
  for (std::uint32_t i = 0; i < 99; ++i) order.before.emplace_back(i, i + 1);
  const std::string text = text_of(lay_out(with_order({}, order)));
  EXPECT_TRUE(text.starts_with("Step 0 happens before itself: 0, 1, 2,")) << text;
  EXPECT_TRUE(text.ends_with("more), 0.")) << text;
  EXPECT_LT(text.size(), 150u);
}

TEST(PlanRelation, StepsThatAreNoneAreRefused) {
  EXPECT_EQ(text_of(lay_out(with_order({}, {2, {{0, 2}}}))),
            "Step 2 of the relation (0 before 2) is not below the number of steps (2).");
  EXPECT_EQ(text_of(lay_out(with_order({used("a", {5}, 8)}, {2, {}}))),
            "Step 5 that uses [Value \"a\"] is not below the number of steps (2).");
  EXPECT_EQ(text_of(lay_out(with_order({used("a", {}, 8)}, {2, {}}))),
            "[Value \"a\"] has no uses, though the problem has a relation of steps.");
  const auto many = lay_out(with_order({}, {StepOrder::max_steps + 1, {}}));
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().code(), Errc::unsupported);
}

TEST(PlanRelation, TheValidatorCatchesConcurrentUses) {
  const auto problem = with_order({used("a", {0}, 8), used("b", {1}, 8)}, {2, {{0, 1}}});
  const Plan plan = must(lay_out(problem));
  EXPECT_EQ(plan.total(), 8u);
  const auto concurrent = with_order({used("a", {0}, 8), used("b", {1}, 8)}, {2, {}});
  const std::string text = text_of(check(concurrent, plan));
  EXPECT_NE(text.find("[Value \"a\"]"), std::string::npos) << text;
  EXPECT_NE(text.find("[Value \"b\"]"), std::string::npos) << text;
}

}  // namespace
}  // namespace pintle
