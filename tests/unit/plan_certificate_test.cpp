// The planner's certificate: no plan takes fewer bytes than its bound, whatever the problem.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include "pintle/must.h"
#include "pintle/planner.h"
#include "unit/plan_oracle.h"
#include "unit/plan_support.h"

namespace pintle {
namespace {

using test::text_of;
using test::value;

constexpr PlanBudget some_nodes{.nodes = 20'000};

/// Each number of it is drawn from a few, so that values often meet, fit into gaps and are alike.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

  PlanValue value_of(std::uint32_t index, std::uint64_t most_size, std::uint64_t alignments) {
    const std::uint64_t lower = below(4), upper = lower + 1 + below(3);
    const std::uint64_t alignment = std::uint64_t{1} << below(alignments);
    std::uint64_t size = 1 + below(most_size);
    if (one_in(3)) size = (size + alignment - 1) / alignment * alignment;
    PlanValue made = value("v" + std::to_string(index), lower, upper, size, alignment);
    if (one_in(5)) made.lower = 0, made.upper = 6;
    if (one_in(12)) made.lifetime = Lifetime::persistent;
    return made;
  }

 private:
  std::mt19937_64 random_;
};

/// At most six values: with alignments up to 64, and by turns chunks, in-place pairs and fixed values.
PlanProblem instance(std::uint64_t seed) {
  Draw draw(seed);
  PlanProblem problem;
  const std::uint64_t count = 1 + draw.below(6), alignments = 1 + draw.below(7);
  const std::uint64_t most_size = draw.one_in(2) ? 12 : 100;
  for (std::uint32_t i = 0; i < count; ++i) problem.values.push_back(draw.value_of(i, most_size, alignments));
  if (seed % 3 == 1) {
    for (std::uint64_t n = draw.below(4); n > 0; --n) {
      const auto from = static_cast<std::uint32_t>(draw.below(count)),
                 to = static_cast<std::uint32_t>(draw.below(count));
      if (from == to) continue;
      problem.in_place.push_back({from, to});
      PlanValue &a = problem.values[from], &b = problem.values[to];
      if (draw.one_in(4)) continue;
      b.lower = a.upper - 1, b.upper = b.lower + 1 + draw.below(3), b.size = std::min(b.size, a.size);
    }
  }
  std::uint64_t largest = 1;
  const bool has_chunks = seed % 2 == 1;
  for (PlanValue& one : problem.values) {
    if (seed % 5 == 0 && draw.one_in(4)) {
      one.assignment = Assignment::fixed;
      one.offset = draw.below(4) * one.alignment;
      one.chunk = has_chunks ? static_cast<std::uint32_t>(draw.below(2)) : 0;
    }
    largest = std::max(largest, one.offset + one.size);
  }
  if (has_chunks) problem.largest_chunk = largest + draw.below(draw.one_in(2) ? 40 : 400);
  return problem;
}

std::string listed(const PlanProblem& problem) {
  std::string text = fmt::format("largest chunk {}", problem.largest_chunk);
  for (const PlanValue& one : problem.values) {
    text += fmt::format("\n{} [{}, {}) size {} alignment {} placement {} lifetime {} chunk {} offset {}", one.name,
                        one.lower, one.upper, one.size, one.alignment, static_cast<int>(one.assignment),
                        static_cast<int>(one.lifetime), one.chunk, one.offset);
  }
  for (const InPlace& pair : problem.in_place) text += fmt::format("\n{} into {}", pair.from, pair.to);
  return text;
}

std::uint64_t instances() {
  const char* text = std::getenv("PINTLE_PLAN_INSTANCES");
  return text == nullptr ? 20'000 : std::strtoull(text, nullptr, 10);
}

// PINTLE_PLAN_INSTANCES says how many; ./dev nightly tries 300,000.
TEST(PlanCertificate, NoPlanIsBelowTheBound) {
  std::uint64_t wrong = 0, optimal = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= instances(); ++seed) {
    const PlanProblem problem = instance(seed);
    const auto least = test::least_total_of(problem);
    // Where something is enough, the other search goes ahead and proves most.
    const PlanBudget budget{.nodes = some_nodes.nodes, .enough = seed / 30 % 2};
    const auto plan = lay_out(problem, budget);
    ASSERT_EQ(text_of(plan) == "accepted", least.has_value()) << seed << ": " << text_of(plan) << listed(problem);
    if (!least) continue;
    ++tried;
    ASSERT_GE(plan->total(), *least) << "The oracle is wrong on " << seed << ": " << listed(problem);
    optimal += plan->is_optimal() ? 1U : 0U;
    if (plan->lower_bound() <= *least) continue;
    if (++wrong <= 3)
      ADD_FAILURE() << seed << ": " << plan->lower_bound() << " over " << *least << ", " << listed(problem);
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(optimal, tried / 2);  // a bound of nothing proves nothing
  RecordProperty("tried", std::to_string(tried));
  RecordProperty("wrong", std::to_string(wrong));
  fmt::print("{} problems, {} wrong bounds, {} plans proven optimal\n", tried, wrong, optimal);
}

void expect_reachable_bound(const PlanProblem& problem, std::uint64_t least) {
  ASSERT_EQ(test::least_total_of(problem), least);
  const Plan plan = must(lay_out(problem, some_nodes));
  EXPECT_LE(plan.lower_bound(), least);
  EXPECT_GE(plan.total(), least);
}

// The two blocks that live throughout fill what the alignment of the others leaves free.
TEST(PlanCertificate, WhatLivesThroughoutMayFillAGap) {
  const PlanProblem problem{.values = {value("weights", 0, 2, 32), value("more weights", 0, 2, 32),
                                       value("a", 0, 1, 1, 64), value("b", 0, 1, 1, 64), value("c", 1, 2, 1)}};
  expect_reachable_bound(problem, 97);
  EXPECT_EQ(must(lay_out(problem, some_nodes)).total(), 97u);
}

// docs/guide/memory.md lays out two such values with a limit: each in a chunk of its own has no padding.
TEST(PlanCertificate, TwoChunksMaySparePadding) {
  const PlanProblem problem{.values = {value("x", 0, 1, 2000, 256), value("y", 0, 2, 4000, 256)},
                            .largest_chunk = std::uint64_t{1} << 30};
  expect_reachable_bound(problem, 6000);
  const Plan split = must(Plan::create({{"x", 2000, 256}, {"y", 4000, 256, Assignment::planned, 1}}, {2000, 4000}, 0));
  EXPECT_EQ(text_of(check(problem, split)), "accepted");
  PlanProblem one = problem;
  one.largest_chunk = PlanProblem::no_limit;
  EXPECT_EQ(must(lay_out(one)).lower_bound(), 6048u);
}

TEST(PlanCertificate, SizesOfWholeUnitsAreProvenInChunksToo) {
  const PlanProblem problem{.values = {value("x", 0, 1, 2048, 64), value("y", 0, 2, 4096, 64)},
                            .largest_chunk = 10'000};
  EXPECT_TRUE(must(lay_out(problem)).is_optimal());
}

// Without a largest chunk there is one: a plan of two is none.
TEST(PlanCertificate, WithoutALargestChunkThereIsOne) {
  const PlanProblem problem{.values = {value("x", 0, 1, 2000, 64), value("y", 0, 2, 4000, 64)}};
  const Plan split = must(Plan::create({{"x", 2000, 64}, {"y", 4000, 64, Assignment::planned, 1}}, {2000, 4000}, 0));
  EXPECT_EQ(text_of(check(problem, split)), "The plan has 2 chunks, but without a largest chunk there is one only.");
}

}  // namespace
}  // namespace pintle
