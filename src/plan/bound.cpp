#include "plan/bound.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace pintle::plan {
namespace {

/// The limit of pairs that are looked at for a clique: some tenths of a second.
constexpr std::uint64_t most_looks = 4'000'000;

std::uint64_t rounded(std::uint64_t size, std::uint64_t unit) { return (size + unit - 1) & ~(unit - 1); }

/// The values that may take the bytes of another. The size of such a value does not count in the step that both share.
std::vector<std::uint32_t> takers_of(const Checked& checked) {
  std::vector<std::uint32_t> takers;
  for (const InPlace& pair : checked.pairs) takers.push_back(pair.to);
  std::ranges::sort(takers);
  takers.erase(std::unique(takers.begin(), takers.end()), takers.end());
  return takers;
}

/// The greatest sum of sizes alive together, over sections in which every alignment is at least `unit`. There every
/// offset is a multiple of `unit`, and each value but the highest takes whole units.
std::uint64_t bound_in_units(const Checked& checked, const Model& plain, std::uint64_t unit) {
  std::vector<std::uint64_t> bytes(plain.sections + 1);  // differences; they wrap and come back
  std::vector<std::uint32_t> finer(plain.sections + 1);
  std::uint64_t pad = 0;
  for (const Block& block : plain.blocks) {
    const std::uint64_t size = rounded(block.size, unit);
    pad = std::max(pad, size - block.size);
    bytes[block.lower] += size;
    bytes[block.upper] -= size;
    finer[block.lower] += block.alignment < unit ? 1 : 0;
    finer[block.upper] -= block.alignment < unit ? 1 : 0;
  }
  for (const std::uint32_t taker : takers_of(checked)) {
    const Block& block = plain.blocks[plain.block_of[taker]];
    bytes[block.lower] -= rounded(block.size, unit);
    bytes[block.lower + 1] += rounded(block.size, unit);
  }
  std::uint64_t most = 0, now = 0;
  std::uint32_t finer_now = 0;
  for (std::uint32_t s = 0; s < plain.sections; ++s) {
    now += bytes[s];
    finer_now += finer[s];
    if (finer_now == 0) most = std::max(most, now);
  }
  return most - std::min(most, pad);
}

std::uint64_t bound_on_line(const Checked& checked, const Model& plain) {
  std::set<std::uint64_t> units{1};
  if (plain.is_one_chunk()) {
    for (const Block& block : plain.blocks) units.insert(block.alignment);
  }
  std::uint64_t bound = 0;
  for (const std::uint64_t unit : units) bound = std::max(bound, bound_in_units(checked, plain, unit));
  return bound;
}

/// The greatest sum of the values that are alive at one step in every order of the steps. Such values conflict with
/// each other.
std::uint64_t alive_bytes(const Checked& checked) {
  const StepRelation& relation = *checked.relation;
  std::vector<std::uint64_t> bytes(relation.steps() + 65);  // differences; they wrap and come back
  std::uint64_t always = 0;
  for (const PlanValue& value : checked.problem->values) {
    if (!takes_bytes(value)) continue;
    if (value.lifetime == Lifetime::persistent) {
      always += value.size;
      continue;
    }
    relation.visit_alive(value.uses, [&](std::uint32_t begin, std::uint32_t end) {
      bytes[begin] += value.size;
      bytes[end] -= value.size;
    });
  }
  for (const std::uint32_t taker : takers_of(checked)) {
    const PlanValue& value = checked.problem->values[taker];
    const std::uint32_t first = relation.uses_of(value.uses).firsts.front();
    bytes[first] -= value.size;
    bytes[first + 1] += value.size;
  }
  std::uint64_t now = 0, most = 0;
  for (const std::uint64_t change : bytes) most = std::max(most, now += change);
  return always + most;
}

/// Bytes of blocks that all conflict, the largest first. Where there are too many blocks, not all are looked at.
std::uint64_t clique_of_largest(const Model& plain) {
  std::vector<std::uint32_t> order(plain.blocks.size()), members;
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, std::ranges::greater{},
                    [&](auto block) { return std::pair(plain.blocks[block].size, ~block); });
  std::uint64_t bytes = 0, looks = 0;
  for (const std::uint32_t block : order) {
    const auto other = std::ranges::find_if(members, [&](std::uint32_t one) { return !plain.conflict(block, one); });
    looks += static_cast<std::uint64_t>(other - members.begin()) + 1;
    if (other == members.end()) {
      bytes += plain.blocks[block].size;
      members.push_back(block);
    }
    if (looks > most_looks) break;
  }
  return bytes;
}

/// The sum of the chunks' ends, as the fixed values alone need them.
std::uint64_t bound_of_fixed(const Model& plain) {
  std::map<std::uint64_t, std::uint64_t> ends;
  for (const Block& block : plain.blocks) {
    if (!block.fixed) continue;
    std::uint64_t& end = ends[*block.fixed / plain.chunk];
    end = std::max(end, *block.fixed % plain.chunk + block.size);
  }
  std::uint64_t sum = 0;
  for (const auto& [chunk, end] : ends) sum += end;
  return sum;
}

}  // namespace

std::uint64_t lower_bound_of(const Checked& checked, const Model& plain) {
  if (plain.blocks.empty()) return 0;
  const std::uint64_t fixed = bound_of_fixed(plain);
  if (plain.is_line) return std::max(fixed, bound_on_line(checked, plain));
  const std::uint64_t alive = alive_bytes(checked);
  return std::max({fixed, alive, checked.pairs.empty() ? clique_of_largest(plain) : 0});
}

}  // namespace pintle::plan
