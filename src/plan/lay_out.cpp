#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "base/contain.h"
#include "base/quote.h"
#include "pintle/planner.h"
#include "plan/bound.h"
#include "plan/greedy.h"
#include "plan/improve.h"

namespace pintle {
namespace plan {
namespace {

/// A model, with what is known about it.
struct Attempt {
  Model model;
  Known known;
};

Attempt attempt(const Checked& checked, Sharing sharing, std::uint64_t least) {
  Attempt one{model_of(checked, sharing), {}};
  one.known = {greedy(one.model, least), least, 0};
  return one;
}

Allowance allowance_of(const PlanBudget& budget) {
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end;
  const auto now = Clock::now();
  if (budget.time.count() > 0) {
    const bool is_endless = budget.time > Clock::time_point::max() - now;
    if (!is_endless) end = now + std::chrono::duration_cast<Clock::duration>(budget.time);
  }
  const bool has_nodes = budget.nodes != 0;
  const std::uint64_t endless = end ? std::numeric_limits<std::uint64_t>::max() : 0;
  return {end, has_nodes ? budget.nodes : endless};
}

std::string name_of(const PlanProblem& problem, const Model& model, std::uint32_t block) {
  const auto value = std::ranges::find(model.block_of, block) - model.block_of.begin();
  return fmt::format("[Value {}]", base::quote(problem.values[static_cast<std::size_t>(value)].name));
}

/// Checks that fixed blocks that conflict do not overlap.
Result<void> check_fixed(const PlanProblem& problem, const Model& model) {
  std::vector<std::uint32_t> fixed;
  for (std::uint32_t i = 0; i < model.blocks.size(); ++i) {
    if (model.blocks[i].fixed) fixed.push_back(i);
  }
  std::ranges::sort(fixed, {}, [&](std::uint32_t i) { return *model.blocks[i].fixed; });
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const Block& a = model.blocks[fixed[i]];
    for (std::size_t j = i + 1; j < fixed.size(); ++j) {
      const Block& b = model.blocks[fixed[j]];
      if (*b.fixed >= *a.fixed + a.size) break;
      if (!model.conflict(fixed[i], fixed[j])) continue;
      return Error(
          Errc::invalid_argument,
          fmt::format("{} and {} are fixed at offsets ({} and {}) where they overlap while both are alive.",
                      name_of(problem, model, fixed[i]), name_of(problem, model, fixed[j]), *a.fixed, *b.fixed));
    }
  }
  return {};
}

Result<Plan> as_plan(const PlanProblem& problem, const Attempt& best, std::uint64_t least) {
  std::vector<PlannedValue> values;
  for (std::size_t i = 0; i < problem.values.size(); ++i) {
    const PlanValue& value = problem.values[i];
    PlannedValue one{value.name, value.size, value.alignment, value.assignment, 0, 0};
    const std::uint32_t block = best.model.block_of[i];
    const std::uint64_t address = block == no_block ? 0 : best.known.layout.addresses[block];
    one.chunk = static_cast<std::uint32_t>(address / best.model.chunk);
    one.offset = address % best.model.chunk;
    if (value.assignment == Assignment::fixed) one.chunk = value.chunk, one.offset = value.offset;
    values.push_back(std::move(one));
  }
  return Plan::create(std::move(values), chunk_bytes(best.model, best.known.layout.addresses), least);
}

/// What the search proves about a model holds for the problem only where no values share bytes in another way, and
/// where several chunks cannot hold less than the one that the search looks at.
void search_for_better(const Checked& checked, Attempt& one, std::uint64_t& least, Allowance& allowance) {
  if (one.known.layout.total <= least || allowance.is_spent() || !is_searchable(one.model)) return;
  improve(one.model, one.known, allowance);
  if (checked.pairs.empty() && one.model.is_one_chunk()) least = one.known.least;
}

Result<Plan> lay_out_checked(const Checked& checked, const PlanBudget& budget) {
  const PlanProblem& problem = *checked.problem;
  Allowance allowance = allowance_of(budget);
  Attempt best{model_of(checked, Sharing::off), {}};
  PINTLE_TRY(check_fixed(problem, best.model));
  std::uint64_t least = lower_bound_of(checked, best.model);
  best.known = {greedy(best.model, least), least, 0};
  if (!checked.pairs.empty()) {
    Attempt shared = attempt(checked, Sharing::on, least);
    if (shared.known.layout.total <= best.known.layout.total) best = std::move(shared);
  }
  best.known.enough = budget.enough;
  search_for_better(checked, best, least, allowance);
  return as_plan(problem, best, least);
}

}  // namespace
}  // namespace plan

Result<Plan> lay_out(const PlanProblem& problem, const PlanBudget& budget) {
  return base::contain("laying out values", [&]() -> Result<Plan> {
    PINTLE_ASSIGN(checked, plan::check_problem(problem));
    PINTLE_ASSIGN(made, plan::lay_out_checked(checked, budget));
    const auto right = check(problem, made);
    if (!right && right.error().code() == Errc::out_of_memory) return right.error();
    if (!right) return Error(Errc::internal, "The planner made a plan that is wrong. " + right.error().text());
    return std::move(made);
  });
}

}  // namespace pintle
