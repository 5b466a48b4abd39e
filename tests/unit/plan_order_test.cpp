// Relations with more values than there is time to look at each pair.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "pintle/must.h"
#include "pintle/planner.h"
#include "plan/model.h"
#include "plan/order_stream.h"
#include "unit/plan_support.h"

namespace pintle {
namespace {

using test::text_of;
using test::used;

/// Queues of steps; now and then each of them waits for the one before.
PlanProblem queues(std::uint32_t seed, std::uint32_t count, std::uint32_t steps, std::uint32_t values) {
  std::mt19937_64 random(seed);
  const std::uint32_t each = steps / count;
  PlanProblem problem;
  problem.order = StepOrder{steps, {}};
  for (std::uint32_t queue = 0; queue < count; ++queue) {
    for (std::uint32_t i = 1; i < each; ++i) {
      const std::uint32_t step = queue * each + i;
      problem.order->before.emplace_back(step - 1, step);
      if (i % 50 == 0) problem.order->before.emplace_back((queue + 1) % count * each + i - 1, step);
    }
  }
  for (std::uint32_t i = 0; i < values; ++i) {
    const auto first = static_cast<std::uint32_t>(random() % steps), queue = first / each;
    std::vector<std::uint32_t> uses{first};
    for (std::uint64_t n = random() % 3; n > 0; --n)
      uses.push_back(std::min((queue + 1) * each - 1, first + static_cast<std::uint32_t>(random() % 30)));
    problem.values.push_back(used("v" + std::to_string(i), std::move(uses), 1 + random() % 4096));
    problem.values.back().alignment = std::uint64_t{1} << (random() % 8);
  }
  return problem;
}

/// By every pair, from the relation's closure.
void expect_apart(const plan::Model& model, const std::vector<std::uint64_t>& addresses) {
  for (std::uint32_t i = 0; i < addresses.size(); ++i) {
    EXPECT_EQ(addresses[i] % model.chunk % model.blocks[i].alignment, 0u);
    for (std::uint32_t j = 0; j < i; ++j) {
      const bool touch =
          addresses[i] < addresses[j] + model.blocks[j].size && addresses[j] < addresses[i] + model.blocks[i].size;
      EXPECT_FALSE(touch && model.conflict(i, j)) << i << ", " << j;
    }
  }
}

TEST(PlanOrder, OnePassOverTheStepsKeepsBlocksApart) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    PlanProblem problem = queues(seed, 1 + seed % 4, 240, 200);
    problem.values[5].lifetime = Lifetime::persistent;
    if (seed % 3 == 1) problem.largest_chunk = 9000;
    if (seed % 5 == 2) {
      problem.values[7].assignment = Assignment::fixed;
      problem.values[7].offset = 1024;
    }
    const auto checked = must(plan::check_problem(problem));
    const plan::Model model = plan::model_of(checked, plan::Sharing::off);
    expect_apart(model, plan::place_in_order(model));
  }
}

TEST(PlanOrder, BytesAreUsedAgainWhereStepsAreOrdered) {
  const PlanProblem problem = queues(1, 1, 400, 400);
  const auto checked = must(plan::check_problem(problem));
  const plan::Model model = plan::model_of(checked, plan::Sharing::off);
  std::uint64_t total = 0, sum = 0;
  const auto addresses = plan::place_in_order(model);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    total = std::max(total, addresses[i] + model.blocks[i].size);
    sum += model.blocks[i].size;
  }
  EXPECT_LT(total, sum / 4);
}

TEST(PlanOrder, ALargeRelationIsLaidOutInOnePass) {
  PlanProblem problem = queues(3, 4, 16'000, 100'000);
  problem.in_place.push_back({0, 1});
  const auto plan = lay_out(problem);
  ASSERT_EQ(text_of(plan), "accepted");
  std::uint64_t sum = 0;
  for (const PlanValue& one : problem.values) sum += one.size;
  EXPECT_LT(plan->total(), sum / 20);
  EXPECT_GT(plan->lower_bound(), 0u);
}

/// Whether the plan is right, by every pair and every use.
bool is_right(const PlanProblem& problem, const Plan& plan) {
  const auto checked = must(plan::check_problem(problem));
  const plan::Model model = plan::model_of(checked, plan::Sharing::off);
  for (std::uint32_t i = 0; i < problem.values.size(); ++i) {
    for (std::uint32_t j = 0; j < i; ++j) {
      const auto &a = plan.values()[i], &b = plan.values()[j];
      if (a.offset < b.offset + b.size && b.offset < a.offset + a.size && model.conflict(i, j)) return false;
    }
  }
  return true;
}

TEST(PlanOrder, TheValidatorCatchesWhatEveryPairCatches) {
  int right = 0, wrong = 0;
  std::mt19937_64 random(9);
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const PlanProblem problem = queues(seed, 1 + seed % 3, 60, 12);
    const Plan plan = must(lay_out(problem));
    std::vector<PlannedValue> values(plan.values().begin(), plan.values().end());
    PlannedValue& one = values[random() % values.size()];
    one.offset = random() % (plan.total() + 1) / one.alignment * one.alignment;
    const std::uint64_t total = std::max(plan.total(), one.offset + one.size);
    const Plan moved = must(Plan::create(std::move(values), {total}, 0));
    EXPECT_EQ(text_of(check(problem, moved)) == "accepted", is_right(problem, moved)) << seed;
    (is_right(problem, moved) ? right : wrong) += 1;
  }
  EXPECT_GT(right, 50);
  EXPECT_GT(wrong, 50);
}

// b takes a's bytes at step 1 and c takes b's at step 1 as well: there a and c are both in use.
TEST(PlanOrder, TheValidatorCatchesThreeThatMeetInOneStep) {
  PlanProblem problem{.values = {used("a", {0, 1}, 8), used("b", {1}, 8), used("c", {1, 2}, 8)}};
  problem.order = StepOrder{3, {{0, 1}, {1, 2}}};
  problem.in_place = {{0, 1}, {1, 2}};
  const Plan plan = must(Plan::create({{"a", 8}, {"b", 8}, {"c", 8}}, {8}, 0));
  EXPECT_NE(text_of(check(problem, plan)), "accepted");
  problem.values[1].uses = {1, 2};
  problem.values[2].uses = {2};
  EXPECT_EQ(text_of(check(problem, plan)), "accepted");
}

TEST(PlanOrder, TheValidatorRefusesACycle) {
  PlanProblem problem{.values = {used("a", {0}, 8)}};
  problem.order = StepOrder{2, {{0, 1}, {1, 0}}};
  const Plan plan = must(Plan::create({{"a", 8}}, {8}, 0));
  EXPECT_EQ(text_of(check(problem, plan)), "Some steps of the relation happen before themselves.");
}

}  // namespace
}  // namespace pintle
