#include "plan/step_relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <utility>

namespace pintle::plan {
namespace {

using Successors = std::vector<std::vector<std::uint32_t>>;

constexpr std::size_t most_named = 16;

Result<Successors> successors_of(const StepOrder& order) {
  if (order.steps > StepOrder::max_steps) {
    return Error(Errc::unsupported, fmt::format("The number of steps ({}) of the relation exceeds the limit ({}).",
                                                order.steps, StepOrder::max_steps));
  }
  Successors successors(order.steps);
  for (const auto& [earlier, later] : order.before) {
    if (earlier >= order.steps || later >= order.steps) {
      return Error(Errc::invalid_argument,
                   fmt::format("Step {} of the relation ({} before {}) is not below the number of steps ({}).",
                               std::max(earlier, later), earlier, later, order.steps));
    }
    successors[earlier].push_back(later);
  }
  return successors;
}

/// Kahn's order, the least step first; shorter than the steps where there is a cycle.
std::vector<std::uint32_t> sorted(const Successors& successors) {
  std::vector<std::uint32_t> waits(successors.size()), order;
  for (const auto& list : successors) {
    for (const std::uint32_t later : list) ++waits[later];
  }
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t step = 0; step < waits.size(); ++step) {
    if (waits[step] == 0) ready.push(step);
  }
  while (!ready.empty()) {
    const std::uint32_t step = ready.top();
    ready.pop();
    order.push_back(step);
    for (const std::uint32_t later : successors[step]) {
      if (--waits[later] == 0) ready.push(later);
    }
  }
  return order;
}

/// A cycle among the steps that no order holds: each of them has a step before it that is one of them.
std::vector<std::uint32_t> cycle_of(const Successors& successors, const std::vector<std::uint32_t>& order) {
  const auto count = static_cast<std::uint32_t>(successors.size());
  std::vector<std::uint8_t> is_sorted(count);
  for (const std::uint32_t step : order) is_sorted[step] = 1;
  std::vector<std::uint32_t> before(count, count);
  std::uint32_t step = 0;
  for (std::uint32_t earlier = 0; earlier < count; ++earlier) {
    if (is_sorted[earlier] != 0) continue;
    step = earlier;
    for (const std::uint32_t later : successors[earlier]) before[later] = std::min(before[later], earlier);
  }
  std::vector<std::uint32_t> path;
  std::vector<std::uint8_t> is_seen(count);
  for (; is_seen[step] == 0; step = before[step]) {
    is_seen[step] = 1;
    path.push_back(step);
  }
  path.erase(path.begin(), std::ranges::find(path, step));
  std::ranges::reverse(path);
  std::ranges::rotate(path, std::ranges::min_element(path));
  path.push_back(path.front());
  return path;
}

Error cyclic(const std::vector<std::uint32_t>& cycle) {
  std::string steps;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (i == most_named && cycle.size() > most_named + 2) {
      steps += fmt::format(", ... ({} more)", cycle.size() - i - 1);
      i = cycle.size() - 1;
    }
    steps += fmt::format("{}{}", i == 0 ? "" : ", ", cycle[i]);
  }
  return {Errc::invalid_argument, fmt::format("Step {} happens before itself: {}.", cycle[0], steps)};
}

}  // namespace

Result<StepRelation> StepRelation::create(const StepOrder& order) {
  PINTLE_ASSIGN(successors, successors_of(order));
  StepRelation relation;
  relation.order_ = sorted(successors);
  if (relation.order_.size() != successors.size()) return cyclic(cycle_of(successors, relation.order_));
  relation.after_.assign(successors.size(), StepSet((successors.size() + 63) / 64));
  for (auto step = relation.order_.rbegin(); step != relation.order_.rend(); ++step) {
    StepSet& after = relation.after_[*step];
    for (const std::uint32_t later : successors[*step]) {
      const StepSet& more = relation.after_[later];
      for (std::size_t i = 0; i < after.size(); ++i) after[i] |= more[i];
      after[later / 64] |= std::uint64_t{1} << (later % 64);
    }
  }
  return relation;
}

StepSet StepRelation::after_all(std::span<const std::uint32_t> uses) const {
  StepSet all((order_.size() + 63) / 64, ~std::uint64_t{0});
  for (const std::uint32_t use : uses) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] &= after_[use][i];
  }
  return all;
}

std::vector<std::uint32_t> StepRelation::alive(std::span<const std::uint32_t> uses) const {
  StepSet later((order_.size() + 63) / 64);
  for (const std::uint32_t use : uses) {
    for (std::size_t i = 0; i < later.size(); ++i) later[i] |= after_[use][i];
  }
  std::vector<std::uint32_t> steps;
  for (std::uint32_t step = 0; step < order_.size(); ++step) {
    const bool is_use = std::ranges::find(uses, step) != uses.end();
    const auto follows = [&](std::uint32_t use) { return precedes(step, use); };
    if (is_use || (contains(later, step) && std::ranges::any_of(uses, follows))) steps.push_back(step);
  }
  return steps;
}

bool StepRelation::all_in(std::span<const std::uint32_t> second, const StepSet& after) noexcept {
  return std::ranges::all_of(second, [&](std::uint32_t use) { return contains(after, use); });
}

}  // namespace pintle::plan
