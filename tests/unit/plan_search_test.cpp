#include "plan/search.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <vector>

#include "pintle/must.h"
#include "plan/failed_states.h"
#include "plan/model.h"
#include "unit/plan_support.h"

namespace pintle::plan {
namespace {

constexpr std::uint64_t many = 1'000'000;

struct Answer {
  Verdict verdict;
  std::vector<std::uint64_t> offsets;
};

Answer ask(const PlanProblem& problem, std::uint64_t capacity, Taste taste = {}, std::uint64_t nodes = many) {
  const auto checked = must(check_problem(problem));
  const Model model = model_of(checked, Sharing::off);
  Allowance allowance({}, nodes);
  Answer answer{};
  answer.verdict = search(model.blocks, model.sections, 0, capacity, taste, allowance, answer.offsets);
  return answer;
}

TEST(PlanSearch, FindsTheLeastTotalAndNothingBelow) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const PlanProblem problem = test::random_problem(seed, 6, seed % 2 == 0 ? 1 : 8);
    const std::uint64_t least = test::least_total(problem);
    for (const auto preference :
         {Preference::longest, Preference::largest, Preference::tallest, Preference::shortest}) {
      EXPECT_EQ(ask(problem, least, {preference, seed}).verdict, Verdict::found) << seed;
      EXPECT_EQ(ask(problem, least - 1, {preference, seed}).verdict, Verdict::impossible) << seed;
      EXPECT_EQ(ask(problem, least + 3, {preference, seed}).verdict, Verdict::found) << seed;
    }
  }
}

TEST(PlanSearch, WhatIsFoundLiesApartAndBelowTheCapacity) {
  const PlanProblem problem = test::tight_packing(5, 80, 100'000, 500'000);
  const Answer answer = ask(problem, 500'000);
  ASSERT_EQ(answer.verdict, Verdict::found);
  for (std::size_t i = 0; i < problem.values.size(); ++i) {
    const PlanValue& a = problem.values[i];
    EXPECT_LE(answer.offsets[i] + a.size, 500'000u);
    for (std::size_t j = 0; j < i; ++j) {
      const PlanValue& b = problem.values[j];
      const bool together = a.lower < b.upper && b.lower < a.upper;
      const bool touch =
          answer.offsets[i] < answer.offsets[j] + b.size && answer.offsets[j] < answer.offsets[i] + a.size;
      EXPECT_FALSE(together && touch) << i << ", " << j;
    }
  }
}

TEST(PlanSearch, GivesUpWhenNothingIsLeftToSpend) {
  const PlanProblem problem = test::tight_packing(5, 80, 100'000, 500'000);
  EXPECT_EQ(ask(problem, 500'000, {}, 10).verdict, Verdict::gave_up);
  EXPECT_EQ(ask(problem, 499'999, {}, 10).verdict, Verdict::impossible);  // known without a node
}

// Each block lives on with the next, so that thousands of decisions stand on one another. Threads of a user may have
// little stack; 200 packings of the bench outgrew 8 MiB.
TEST(PlanSearch, NeedsNoStackForManyDecisions) {
  struct Task {
    PlanProblem problem;
    Verdict verdict = Verdict::gave_up;
  };
  Task task;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    task.problem.values.push_back({.name = std::to_string(i), .size = 1, .lower = i, .upper = i + 2});
  }
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 512 << 10), 0);
  const auto body = [](void* argument) -> void* {
    Task& own = *static_cast<Task*>(argument);
    own.verdict = ask(own.problem, 2).verdict;
    return nullptr;
  };
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &task), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_EQ(task.verdict, Verdict::found);
  pthread_attr_destroy(&attributes);
}

TEST(PlanSearch, TwinsAreTriedOnce) {
  // 24 blocks that are all alike and do not fit: without twins, and states that failed, 24! ways.
  PlanProblem problem;
  for (int i = 0; i < 24; ++i) problem.values.push_back(test::value("v" + std::to_string(i), 0, 1, 2, 4));
  EXPECT_EQ(ask(problem, 4 * 23 + 1, {}, 1000).verdict, Verdict::impossible);
  EXPECT_EQ(ask(problem, 4 * 23 + 2, {}, 1000).verdict, Verdict::found);
}

TEST(PlanSearch, AnAllowanceIsShared) {
  Allowance all({}, 10);
  const Allowance given = all.share(4);
  Allowance left = given;
  EXPECT_TRUE(left.spend());
  EXPECT_TRUE(left.spend());
  all.take(given, left);
  EXPECT_EQ(all.nodes(), 8u);
  EXPECT_EQ(all.share(100).nodes(), 8u);
  EXPECT_FALSE(all.is_spent());
}

TEST(PlanSearch, ATimeThatPassedIsNoticed) {
  Allowance late(std::chrono::steady_clock::now(), many);
  std::uint64_t spent = 0;
  while (late.spend()) ++spent;
  EXPECT_TRUE(late.is_spent());
  EXPECT_LE(spent, 256u);
}

TEST(PlanSearch, KeysDoNotDependOnTheOrder) {
  StateKey a(1), b(1), c(1);
  a.add_block(3), a.add_floor(7, 100);
  b.add_floor(7, 100), b.add_block(3);
  c.add_block(3), c.add_floor(100, 7);
  EXPECT_EQ(a, b);
  EXPECT_FALSE(a == c);
  EXPECT_FALSE(a == StateKey(1));
  FailedStates states;
  EXPECT_FALSE(states.contains(a));
  states.insert(a);
  EXPECT_TRUE(states.contains(b));
  EXPECT_FALSE(states.contains(c));
}

}  // namespace
}  // namespace pintle::plan
