#include "plan/greedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "pintle/must.h"
#include "plan/bound.h"
#include "plan/neighbours.h"
#include "plan/stream.h"
#include "unit/plan_support.h"

namespace pintle::plan {
namespace {

Model model_of(const PlanProblem& problem) {
  const auto checked = must(check_problem(problem));
  return plan::model_of(checked, Sharing::off);
}

bool conflict(const Block& a, const Block& b) { return a.lower < b.upper && b.lower < a.upper; }

void expect_apart(const Model& model, const std::vector<std::uint64_t>& addresses, std::uint64_t seed) {
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const Block& a = model.blocks[i];
    EXPECT_EQ(addresses[i] % a.alignment, 0u) << seed;
    for (std::size_t j = 0; j < i; ++j) {
      const Block& b = model.blocks[j];
      const bool touch = addresses[i] < addresses[j] + b.size && addresses[j] < addresses[i] + a.size;
      EXPECT_FALSE(touch && conflict(a, b)) << seed << ": " << i << ", " << j;
    }
  }
}

std::vector<std::uint32_t> all_of(const Model& model) {
  std::vector<std::uint32_t> blocks(model.blocks.size());
  std::iota(blocks.begin(), blocks.end(), 0u);
  return blocks;
}

TEST(PlanGreedy, NeighboursAreThoseThatConflict) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Model model = model_of(test::random_problem(seed, 30));
    Neighbours neighbours(model);
    for (std::uint32_t i = 0; i < model.blocks.size(); ++i) {
      std::vector<std::uint32_t> found, expected;
      neighbours.visit(i, [&](std::uint32_t other) { found.push_back(other); });
      for (std::uint32_t j = 0; j < i; ++j) {
        if (conflict(model.blocks[i], model.blocks[j])) expected.push_back(j);
      }
      std::ranges::sort(found);
      EXPECT_EQ(found, expected) << seed;
      neighbours.add(i);
    }
    neighbours.clear();
    neighbours.visit(0, [&](std::uint32_t) { ADD_FAILURE(); });
  }
}

TEST(PlanGreedy, PairsCountConflicts) {
  const Model model = model_of({.values = {test::value("a", 0, 4, 1), test::value("b", 1, 3, 1),
                                           test::value("c", 2, 6, 1), test::value("d", 5, 6, 1)}});
  // Each block with itself, and a-b, a-c, b-c, c-d.
  EXPECT_EQ(Neighbours(model).pairs(), 8u);
}

TEST(PlanGreedy, BlocksLieApart) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Model model = model_of(test::random_problem(seed, 25, 16));
    expect_apart(model, greedy(model, 0).addresses, seed);
    expect_apart(model, first_fit_by_size(model).addresses, seed);
  }
}

TEST(PlanGreedy, OnePassOverTimeKeepsBlocksApart) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Model model = model_of(test::random_problem(seed, 60, seed % 2 == 0 ? 1 : 32));
    std::vector<std::uint64_t> addresses(model.blocks.size());
    place_in_time(model, all_of(model), 0, addresses);
    expect_apart(model, addresses, seed);
  }
}

TEST(PlanGreedy, OnePassOverTimeReusesWhatEnded) {
  const Model model =
      model_of({.values = {test::value("a", 0, 2, 8), test::value("b", 0, 9, 8), test::value("c", 2, 5, 4),
                           test::value("d", 3, 5, 4), test::value("e", 5, 9, 8)}});
  std::vector<std::uint64_t> addresses(model.blocks.size());
  place_in_time(model, all_of(model), 0, addresses);
  EXPECT_EQ(chunk_bytes(model, addresses), (std::vector<std::uint64_t>{16}));
}

TEST(PlanGreedy, ADenseProblemIsLaidOutInOnePass) {
  // Nested lifetimes, as of activations that are kept for the way back: 50 million conflicts.
  constexpr std::uint64_t count = 10'000;
  PlanProblem problem;
  for (std::uint64_t i = 0; i < count; ++i)
    problem.values.push_back(test::value("v" + std::to_string(i), i, 2 * count - i, 1 + i % 7));
  const Plan made = must(lay_out(problem));
  EXPECT_TRUE(made.is_optimal());
  EXPECT_GT(Neighbours(model_of(problem)).pairs(), 40'000'000u);
}

TEST(PlanGreedy, BlocksThatLiveThroughoutLieOnTheGround) {
  PlanProblem problem = test::random_problem(3, 20, 8);
  for (int i = 0; i < 3; ++i) {
    problem.values[static_cast<std::size_t>(i)].lifetime = Lifetime::persistent;
    problem.values[static_cast<std::size_t>(i)].alignment = 1;
  }
  const Model model = model_of(problem);
  const Layout layout = greedy(model, 0);
  std::uint64_t ground = 0;
  for (std::size_t i = 0; i < 3; ++i) ground += model.blocks[i].size;
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    if (i < 3) EXPECT_LT(layout.addresses[i], ground);
    else EXPECT_GE(layout.addresses[i], ground);
  }
}

TEST(PlanGreedy, ChunksAreNotCrossed) {
  PlanProblem problem = test::random_problem(9, 40, 4);
  problem.largest_chunk = 13;
  const Model model = model_of(problem);
  ASSERT_TRUE(model.has_chunks());
  const Layout layout = greedy(model, 0);
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : chunk_bytes(model, layout.addresses)) sum += bytes;
  EXPECT_EQ(layout.total, sum);
  for (std::size_t i = 0; i < model.blocks.size(); ++i) EXPECT_LE(layout.addresses[i] % 13 + model.blocks[i].size, 13u);
}

TEST(PlanGreedy, TheBoundIsWhatIsAliveTogether) {
  const auto bound = [](const PlanProblem& problem) {
    const auto checked = must(check_problem(problem));
    return lower_bound_of(checked, plan::model_of(checked, Sharing::off));
  };
  EXPECT_EQ(bound({}), 0u);
  PlanProblem problem{.values = {test::value("a", 0, 2, 8), test::value("b", 1, 3, 6), test::value("c", 2, 4, 9)}};
  EXPECT_EQ(bound(problem), 15u);
  problem.in_place = {{0, 1}};
  EXPECT_EQ(bound(problem), 15u);
  problem.values[2].lower = 3;
  EXPECT_EQ(bound(problem), 9u);
  problem.values[2].assignment = Assignment::fixed;
  problem.values[2].offset = 100;
  EXPECT_EQ(bound(problem), 109u);
}

TEST(PlanGreedy, TheBoundOfOneQueueCountsWhatIsKeptBetweenUses) {
  PlanProblem problem{.values = {test::used("a", {0, 3}, 8), test::used("b", {1}, 4), test::used("c", {2}, 5)}};
  problem.order = StepOrder{4, {{0, 1}, {1, 2}, {2, 3}}};
  const auto checked = must(check_problem(problem));
  EXPECT_EQ(lower_bound_of(checked, plan::model_of(checked, Sharing::off)), 13u);
}

}  // namespace
}  // namespace pintle::plan
