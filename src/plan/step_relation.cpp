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

/// Kahn's order, the least step first. It is shorter than the number of steps where there is a cycle.
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

/// A cycle among the steps that are not in the order: each of them has one of them before it.
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
  relation.position_.resize(successors.size());
  for (std::uint32_t i = 0; i < relation.order_.size(); ++i) relation.position_[relation.order_[i]] = i;
  relation.close(successors);
  return relation;
}

/// Steps after a step come after all steps before it, and the other way round.
void StepRelation::close(const Successors& successors) {
  after_.assign(steps(), StepSet(words()));
  before_.assign(steps(), StepSet(words()));
  const auto add = [](StepSet& set, const StepSet& more, std::uint32_t position) {
    for (std::size_t i = 0; i < set.size(); ++i) set[i] |= more[i];
    set[position / 64] |= std::uint64_t{1} << (position % 64);
  };
  for (std::uint32_t at = steps(); at-- > 0;) {
    for (const std::uint32_t later : successors[order_[at]])
      add(after_[at], after_[position_[later]], position_[later]);
  }
  for (std::uint32_t at = 0; at < steps(); ++at) {
    for (const std::uint32_t later : successors[order_[at]]) add(before_[position_[later]], before_[at], at);
  }
  for (std::uint32_t at = 0; at < steps(); ++at) {
    std::uint32_t horizon = steps();
    while (horizon % 64 != 0 && horizon > at + 1 && contains(after_[at], horizon - 1)) --horizon;
    while (horizon % 64 == 0 && horizon >= 64 && after_[at][horizon / 64 - 1] == ~std::uint64_t{0}) horizon -= 64;
    while (horizon > at + 1 && contains(after_[at], horizon - 1)) --horizon;
    horizon_.push_back(horizon);
  }
}

Uses StepRelation::uses_of(std::span<const std::uint32_t> steps) const {
  std::vector<std::uint32_t> positions;
  for (const std::uint32_t step : steps) positions.push_back(position_[step]);
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  Uses uses;
  for (const std::uint32_t one : positions) {
    const auto precedes_one = [&](std::uint32_t other) { return contains(after_[other], one); };
    if (std::ranges::none_of(uses.firsts, precedes_one)) uses.firsts.push_back(one);
  }
  for (auto one = positions.rbegin(); one != positions.rend(); ++one) {
    const auto follows_one = [&](std::uint32_t other) { return contains(after_[*one], other); };
    if (std::ranges::none_of(uses.lasts, follows_one)) uses.lasts.push_back(*one);
  }
  return uses;
}

bool StepRelation::are_before(std::span<const std::uint32_t> lasts,
                              std::span<const std::uint32_t> firsts) const noexcept {
  return std::ranges::all_of(lasts, [&](std::uint32_t last) {
    return std::ranges::all_of(firsts, [&](std::uint32_t first) { return contains(after_[last], first); });
  });
}

/// The steps at which the value is used, or that come after one use and before another.
StepSet StepRelation::alive_at(std::span<const std::uint32_t> steps) const {
  StepSet later(words());
  if (steps.empty()) return later;
  const auto [first, last] = std::ranges::minmax(steps, {}, [&](std::uint32_t step) { return position_[step]; });
  for (std::size_t i = position_[first] / 64; i <= position_[last] / 64; ++i) {
    std::uint64_t earlier = 0;
    for (const std::uint32_t step : steps) {
      later[i] |= after_[position_[step]][i];
      earlier |= before_[position_[step]][i];
    }
    later[i] &= earlier;
  }
  for (const std::uint32_t step : steps) later[position_[step] / 64] |= std::uint64_t{1} << (position_[step] % 64);
  return later;
}

}  // namespace pintle::plan
