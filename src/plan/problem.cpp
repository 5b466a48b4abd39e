// The checks of a problem before it is solved. Each refusal names the value.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "base/bytes.h"
#include "base/quote.h"
#include "plan/model.h"

namespace pintle::plan {
namespace {

Error wrong(std::string sentence) { return {Errc::invalid_argument, std::move(sentence)}; }

std::string named(const PlanValue& value) { return fmt::format("[Value {}]", base::quote(value.name)); }

Result<void> check_names(const PlanProblem& problem) {
  const auto& values = problem.values;
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const int order_of_names = values[a].name.compare(values[b].name);
    return order_of_names != 0 ? order_of_names < 0 : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string& name = values[order[i]].name;
    if (name.empty()) return wrong(fmt::format("Value {} has no name.", order[i]));
    if (i != 0 && name == values[order[i - 1]].name) {
      return wrong(fmt::format("Values {} and {} have the same name {}.", order[i - 1], order[i], base::quote(name)));
    }
  }
  return {};
}

Result<void> check_line(const PlanValue& value) {
  if (!value.uses.empty()) {
    return wrong(
        fmt::format("{} has uses ({}), but the problem has no relation of steps.", named(value), value.uses.size()));
  }
  if (value.lifetime == Lifetime::steps && takes_bytes(value) && value.lower >= value.upper) {
    return wrong(fmt::format("The lower end ({}) of the lifetime of {} is not below its upper end ({}).", value.lower,
                             named(value), value.upper));
  }
  return {};
}

Result<void> check_uses(const PlanValue& value, const StepOrder& order) {
  if (value.uses.empty() && value.lifetime == Lifetime::steps && takes_bytes(value))
    return wrong(fmt::format("{} has no uses, though the problem has a relation of steps.", named(value)));
  for (const std::uint32_t use : value.uses) {
    if (use < order.steps) continue;
    return wrong(
        fmt::format("Step {} that uses {} is not below the number of steps ({}).", use, named(value), order.steps));
  }
  return {};
}

Result<void> check_bytes(const PlanValue& value, std::uint64_t largest_chunk) {
  if (!std::has_single_bit(value.alignment))
    return wrong(fmt::format("The alignment ({}) of {} is no power of two.", value.alignment, named(value)));
  if (!takes_bytes(value)) return {};
  if (value.size > largest_chunk) {
    return wrong(
        fmt::format("The size ({}) of {} exceeds the largest chunk ({}).", value.size, named(value), largest_chunk));
  }
  if (value.assignment != Assignment::fixed) return {};
  if (value.offset % value.alignment != 0) {
    return wrong(fmt::format("The fixed offset ({}) of {} is no multiple of its alignment ({}).", value.offset,
                             named(value), value.alignment));
  }
  if (!base::range_fits(value.offset, value.size, std::min(largest_chunk, most_bytes))) {
    return wrong(fmt::format("The fixed offset ({}) of {} with its size ({}) exceeds the largest chunk ({}).",
                             value.offset, named(value), value.size, std::min(largest_chunk, most_bytes)));
  }
  if (largest_chunk == PlanProblem::no_limit && value.chunk != 0) {
    return wrong(fmt::format("{} is fixed in chunk {}, but without a largest chunk there is one only.", named(value),
                             value.chunk));
  }
  return {};
}

/// Sizes with possible padding, and the addresses of all chunks, must stay far below the largest number.
Result<void> check_sums(const PlanProblem& problem) {
  std::uint64_t sum = 0, chunks = 1;
  for (const PlanValue& value : problem.values) {
    if (!takes_bytes(value)) continue;
    const auto padded = base::checked_add(value.size, value.alignment - 1);
    const auto next = padded ? base::checked_add(sum, *padded) : std::nullopt;
    if (!next || *next > most_bytes) {
      return wrong(fmt::format("The sizes overflow: with the size ({}) of {} they exceed the limit ({}).", value.size,
                               named(value), most_bytes));
    }
    sum = *next;
    chunks += 1;
    if (value.assignment == Assignment::fixed) chunks = std::max<std::uint64_t>(chunks, value.chunk) + 1;
  }
  if (problem.largest_chunk >= sum && chunks <= problem.values.size() + 1) return {};
  if (problem.largest_chunk == PlanProblem::no_limit) return {};
  const auto addresses = base::checked_mul(problem.largest_chunk, chunks + problem.values.size());
  if (addresses && *addresses <= most_bytes) return {};
  return wrong(fmt::format("The sizes overflow: {} chunks of the largest size ({}) exceed the limit ({}).",
                           chunks + problem.values.size(), problem.largest_chunk, most_bytes));
}

/// Whether the last use of the first value is the first use of the second.
bool meet(const Checked& checked, const PlanValue& from, const PlanValue& to) {
  if (!checked.relation) return from.upper - 1 == to.lower;
  const auto step = std::ranges::find_if(
      to.uses, [&](std::uint32_t use) { return std::ranges::find(from.uses, use) != from.uses.end(); });
  if (step == to.uses.end()) return false;
  const auto& relation = *checked.relation;
  return std::ranges::all_of(from.uses, [&](auto use) { return use == *step || relation.precedes(use, *step); }) &&
         std::ranges::all_of(to.uses, [&](auto use) { return use == *step || relation.precedes(*step, use); });
}

bool has_effect(const Checked& checked, const PlanValue& from, const PlanValue& to) {
  const auto is_free = [](const PlanValue& value) {
    return takes_bytes(value) && value.assignment == Assignment::planned && value.lifetime == Lifetime::steps;
  };
  return is_free(from) && is_free(to) && to.size <= from.size && meet(checked, from, to);
}

Result<void> add_pairs(Checked& checked) {
  const PlanProblem& problem = *checked.problem;
  for (const InPlace& pair : problem.in_place) {
    const std::uint32_t last = std::max(pair.from, pair.to);
    if (last >= problem.values.size()) {
      return wrong(fmt::format("Value {} of an in-place pair is not below the number of values ({}).", last,
                               problem.values.size()));
    }
    const PlanValue &from = problem.values[pair.from], &to = problem.values[pair.to];
    if (pair.from == pair.to) return wrong(fmt::format("{} is both values of an in-place pair.", named(from)));
    if (has_effect(checked, from, to)) checked.pairs.push_back(pair);
  }
  if (checked.relation) return {};
  std::ranges::sort(checked.pairs, {},
                    [&](InPlace pair) { return std::tuple(problem.values[pair.to].lower, pair.from, pair.to); });
  return {};
}

}  // namespace

Result<Checked> check_problem(const PlanProblem& problem) {
  if (problem.values.size() >= no_block)
    return wrong(
        fmt::format("The number of values ({}) is not below the limit ({}).", problem.values.size(), no_block));
  if (problem.largest_chunk == 0) return wrong("The largest chunk (0) is less than one byte.");
  PINTLE_TRY(check_names(problem));
  Checked checked{.problem = &problem};
  if (problem.order) {
    PINTLE_ASSIGN(relation, StepRelation::create(*problem.order));
    checked.relation = std::move(relation);
  }
  for (const PlanValue& value : problem.values) {
    PINTLE_TRY(check_bytes(value, problem.largest_chunk));
    PINTLE_TRY(problem.order ? check_uses(value, *problem.order) : check_line(value));
  }
  PINTLE_TRY(check_sums(problem));
  PINTLE_TRY(add_pairs(checked));
  return checked;
}

}  // namespace pintle::plan
