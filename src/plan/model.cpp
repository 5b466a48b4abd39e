#include "plan/model.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace pintle::plan {
namespace {

/// With more pairs of blocks that may conflict, none is looked at: one order with these pairs takes about half a
/// second.
constexpr std::uint64_t most_listed = 8'000'000;

/// For each value the value whose bytes it takes. A value that is used at one step only is never in the middle of a
/// chain: the values on both sides of it would meet.
std::vector<std::uint32_t> links_of(const Checked& checked) {
  const auto& values = checked.problem->values;
  std::vector<std::uint32_t> taken_from(values.size(), no_block), taken_by(values.size(), no_block);
  const auto is_short = [&](std::uint32_t index) {
    const PlanValue& value = values[index];
    if (!checked.relation) return value.upper - value.lower < 2;
    return std::ranges::all_of(value.uses, [&](std::uint32_t use) { return use == value.uses[0]; });
  };
  for (const InPlace& pair : checked.pairs) {
    if (taken_by[pair.from] != no_block || taken_from[pair.to] != no_block) continue;
    if (taken_from[pair.from] != no_block && is_short(pair.from)) continue;
    if (taken_by[pair.to] != no_block && is_short(pair.to)) continue;
    taken_by[pair.from] = pair.to;
    taken_from[pair.to] = pair.from;
  }
  return taken_from;
}

/// The first value of each value's chain.
std::vector<std::uint32_t> roots_of(const Checked& checked, Sharing sharing) {
  std::vector<std::uint32_t> roots(checked.problem->values.size());
  std::iota(roots.begin(), roots.end(), 0u);
  if (sharing == Sharing::off) return roots;
  const auto taken_from = links_of(checked);
  std::vector<std::uint32_t> path;
  for (std::uint32_t i = 0; i < roots.size(); ++i) {
    path.clear();
    std::uint32_t root = i;
    for (; taken_from[root] != no_block && roots[root] == root; root = taken_from[root]) path.push_back(root);
    for (const std::uint32_t value : path) roots[value] = roots[root];
  }
  return roots;
}

std::vector<std::uint64_t> times_of(const PlanProblem& problem) {
  std::vector<std::uint64_t> times;
  for (const PlanValue& value : problem.values) {
    if (!takes_bytes(value) || value.lifetime == Lifetime::persistent) continue;
    times.push_back(value.lower);
    times.push_back(value.upper);
  }
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

void add_lifetimes(const PlanProblem& problem, Model& model) {
  const auto times = times_of(problem);
  if (times.size() > 1) model.sections = static_cast<std::uint32_t>(times.size() - 1);
  const auto section = [&](std::uint64_t time) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(times, time) - times.begin());
  };
  for (std::size_t i = 0; i < problem.values.size(); ++i) {
    if (model.block_of[i] == no_block) continue;
    const PlanValue& value = problem.values[i];
    const bool is_whole = value.lifetime == Lifetime::persistent;
    Block& block = model.blocks[model.block_of[i]];
    block.lower = std::min(block.lower, is_whole ? 0 : section(value.lower));
    block.upper = std::max(block.upper, is_whole ? model.sections : section(value.upper));
  }
  if (times.empty()) return;
  for (Block& block : model.blocks) block.steps = times[block.upper] - times[block.lower];
}

/// Two blocks may share bytes only if all uses of one happen before all uses of the other.
void add_uses(const Checked& checked, Model& model) {
  const auto& values = checked.problem->values;
  std::vector<std::vector<std::uint32_t>> steps(model.blocks.size());
  std::vector<std::uint8_t> is_always(model.blocks.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t block = model.block_of[i];
    if (block == no_block) continue;
    if (values[i].lifetime == Lifetime::persistent) is_always[block] = 1;
    steps[block].insert(steps[block].end(), values[i].uses.begin(), values[i].uses.end());
  }
  model.is_line = false;
  model.relation = &*checked.relation;
  model.uses.resize(model.blocks.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (is_always[i] == 0) model.uses[i] = model.relation->uses_of(steps[i]);
  }
  for (Block& block : model.blocks) block.lower = 0, block.upper = 1;
}

/// The position from which on every step comes after all uses.
std::uint32_t horizon_of(const Model& model, std::uint32_t block) {
  const Uses& uses = model.uses[block];
  std::uint32_t horizon = uses.is_always() ? model.relation->steps() : 0;
  for (const std::uint32_t last : uses.lasts) horizon = std::max(horizon, model.relation->horizon(last));
  return horizon;
}

/// A block conflicts at most with blocks that begin before its horizon. No lists are made where these are too many.
void add_conflicts(Model& model) {
  const auto begin_of = [&](std::uint32_t block) {
    return model.uses[block].is_always() ? 0 : model.uses[block].firsts.front();
  };
  std::vector<std::uint32_t> order(model.blocks.size()), ends(model.blocks.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t block) { return std::pair(begin_of(block), block); });
  std::uint64_t pairs = 0;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const auto end = std::ranges::lower_bound(order, horizon_of(model, order[i]), {}, begin_of) - order.begin();
    ends[i] = std::max(i + 1, static_cast<std::uint32_t>(end));
    pairs += ends[i] - i;
  }
  if (pairs > most_listed) return;
  model.conflicts.resize(model.blocks.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    for (std::uint32_t j = i + 1; j < ends[i]; ++j) {
      if (model.relation->are_before(model.uses[order[i]], model.uses[order[j]])) continue;
      model.conflicts[order[i]].push_back(order[j]);
      model.conflicts[order[j]].push_back(order[i]);
    }
  }
  for (auto& list : model.conflicts) std::ranges::sort(list);
}

/// Whether padding may be lost between chunks. None is where every size is a multiple of every alignment.
bool has_padding(const Model& model) {
  std::uint64_t alignment = 1;
  for (const Block& block : model.blocks) alignment = std::max(alignment, block.alignment);
  return model.has_fixed ||
         std::ranges::any_of(model.blocks, [&](const Block& block) { return block.size % alignment != 0; });
}

void set_chunk(const PlanProblem& problem, Model& model) {
  model.may_split = problem.largest_chunk != PlanProblem::no_limit && has_padding(model);
  std::uint64_t all = 0;
  for (const Block& block : model.blocks) all += block.size + block.alignment - 1;
  const bool has_far = std::ranges::any_of(problem.values, [](const PlanValue& value) {
    return value.assignment == Assignment::fixed && (value.chunk != 0 || value.offset != 0);
  });
  if (all > problem.largest_chunk || has_far) model.chunk = problem.largest_chunk;
}

}  // namespace

std::uint64_t next_place(const Model& model, const Block& block, std::uint64_t address) noexcept {
  const std::uint64_t chunk = model.has_chunks() ? address / model.chunk : 0;
  const std::uint64_t inside = model.has_chunks() ? address % model.chunk : address;
  const std::uint64_t aligned = (inside + block.alignment - 1) & ~(block.alignment - 1);
  if (!model.has_chunks()) return aligned;
  if (aligned <= model.chunk && block.size <= model.chunk - aligned) return chunk * model.chunk + aligned;
  return (chunk + 1) * model.chunk;
}

Model model_of(const Checked& checked, Sharing sharing) {
  const PlanProblem& problem = *checked.problem;
  const auto roots = roots_of(checked, sharing);
  Model model;
  model.block_of.assign(problem.values.size(), no_block);
  for (std::size_t i = 0; i < problem.values.size(); ++i) {
    const PlanValue& value = problem.values[i];
    if (!takes_bytes(value)) continue;
    std::uint32_t& block = model.block_of[roots[i]];
    if (block == no_block) {
      block = static_cast<std::uint32_t>(model.blocks.size());
      model.blocks.push_back({.lower = no_block});
    }
    model.block_of[i] = block;
    Block& one = model.blocks[block];
    one.size = std::max(one.size, value.size);
    one.alignment = std::max(one.alignment, value.alignment);
    if (value.assignment != Assignment::fixed) continue;
    const bool is_one = problem.largest_chunk == PlanProblem::no_limit;
    one.fixed = (is_one ? 0 : value.chunk * problem.largest_chunk) + value.offset;
    model.has_fixed = true;
  }
  set_chunk(problem, model);
  if (!checked.relation) {
    add_lifetimes(problem, model);
    return model;
  }
  add_uses(checked, model);
  add_conflicts(model);
  return model;
}

}  // namespace pintle::plan
