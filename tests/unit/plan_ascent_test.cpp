#include "plan/ascent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "pintle/must.h"
#include "plan/model.h"
#include "unit/plan_support.h"

namespace pintle::plan {
namespace {

constexpr std::uint64_t many = 1'000'000;
constexpr std::array ranks{Rank::area, Rank::length, Rank::load};

struct Answer {
  Verdict verdict = Verdict::gave_up;
  std::vector<std::uint64_t> offsets{};
};

Answer ask(const PlanProblem& problem, std::uint64_t capacity, Rank rank = Rank::area, std::uint64_t nodes = many,
           std::uint64_t base = 0) {
  const auto checked = must(check_problem(problem));
  const Model model = model_of(checked, Sharing::off);
  Allowance allowance({}, nodes);
  Answer answer;
  answer.verdict = ascend(model.blocks, model.sections, base, capacity, rank, allowance, answer.offsets);
  return answer;
}

void expect_apart(const PlanProblem& problem, const std::vector<std::uint64_t>& offsets, std::uint64_t capacity) {
  for (std::size_t i = 0; i < problem.values.size(); ++i) {
    const PlanValue& a = problem.values[i];
    EXPECT_LE(offsets[i] + a.size, capacity);
    EXPECT_EQ(offsets[i] % a.alignment, 0u);
    for (std::size_t j = 0; j < i; ++j) {
      const PlanValue& b = problem.values[j];
      const bool together = a.lower < b.upper && b.lower < a.upper;
      const bool touch = offsets[i] < offsets[j] + b.size && offsets[j] < offsets[i] + a.size;
      EXPECT_FALSE(together && touch) << i << ", " << j;
    }
  }
}

TEST(PlanAscent, FindsTheLeastTotalAndNothingBelow) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const PlanProblem problem = test::random_problem(seed, 6, seed % 2 == 0 ? 1 : 8);
    const std::uint64_t least = test::least_total(problem);
    for (const Rank rank : ranks) {
      const Answer answer = ask(problem, least, rank);
      ASSERT_EQ(answer.verdict, Verdict::found) << seed;
      expect_apart(problem, answer.offsets, least);
      EXPECT_EQ(ask(problem, least - 1, rank).verdict, Verdict::impossible) << seed;
      EXPECT_EQ(ask(problem, least + 3, rank).verdict, Verdict::found) << seed;
    }
  }
}

// A pyramid of blocks with gaps between them, where which block comes next matters little.
TEST(PlanAscent, ManyBlocksLieApart) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    PlanProblem problem = test::random_problem(seed, 60, 16);
    const std::uint64_t total = must(lay_out(problem)).total();
    const Answer answer = ask(problem, total + total / 4);
    ASSERT_EQ(answer.verdict, Verdict::found) << seed;
    expect_apart(problem, answer.offsets, total + total / 4);
  }
}

TEST(PlanAscent, BeginsAtTheBase) {
  const PlanProblem problem{.values = {test::value("a", 0, 2, 10, 64), test::value("b", 0, 1, 20)}};
  EXPECT_EQ(ask(problem, 74, Rank::area, many, 30).verdict, Verdict::found);
  EXPECT_EQ(ask(problem, 73, Rank::area, many, 30).verdict, Verdict::impossible);
  EXPECT_EQ(ask(problem, 74, Rank::area, many, 65).verdict, Verdict::impossible);
}

TEST(PlanAscent, GivesUpWhenNothingIsLeftToSpend) {
  const PlanProblem problem = test::tight_packing(5, 80, 100'000, 500'000);
  for (const std::uint64_t nodes : {0u, 1u, 10u, 79u}) {
    EXPECT_EQ(ask(problem, 500'000, Rank::area, nodes).verdict, Verdict::gave_up) << nodes;
  }
  EXPECT_EQ(ask(problem, 499'999, Rank::area, 10).verdict, Verdict::impossible);  // known without a node
}

TEST(PlanAscent, TwinsAreTriedOnce) {
  PlanProblem problem;
  for (int i = 0; i < 24; ++i) problem.values.push_back(test::value("v" + std::to_string(i), 0, 1, 2, 4));
  EXPECT_EQ(ask(problem, 4 * 23 + 1, Rank::area, 1000).verdict, Verdict::impossible);
  EXPECT_EQ(ask(problem, 4 * 23 + 2, Rank::area, 1000).verdict, Verdict::found);
}

TEST(PlanAscent, LongChainsOfBlocksComeApart) {
  PlanProblem problem;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    problem.values.push_back({.name = std::to_string(i), .size = 1, .lower = i, .upper = i + 2});
  }
  EXPECT_EQ(ask(problem, 2).verdict, Verdict::found);
  EXPECT_EQ(ask(problem, 1).verdict, Verdict::impossible);
}

// The search stops at what is enough, though less may be possible.
TEST(PlanAscent, WhatIsEnoughEndsTheSearch) {
  const PlanProblem problem = test::tight_packing(3, 120, 1000, 100'000);
  const std::uint64_t greedy = must(lay_out(problem)).total();
  ASSERT_GT(greedy, 100'001u);
  const Plan enough = must(lay_out(problem, {.nodes = 20 * many, .enough = greedy - 1}));
  EXPECT_LT(enough.total(), greedy);
  const Plan least = must(lay_out(problem, {.nodes = 20 * many}));
  EXPECT_EQ(least.total(), 100'000u);
  EXPECT_EQ(must(lay_out(problem, {.nodes = 20 * many, .enough = greedy})).total(), greedy);
}

}  // namespace
}  // namespace pintle::plan
