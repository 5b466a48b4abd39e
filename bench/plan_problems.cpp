#include "bench/plan_problems.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <utility>

namespace pintle::bench {
namespace {

/// SplitMix64: the standard's distributions differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t below(std::uint64_t limit) {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return (x ^ (x >> 31)) % limit;
  }

 private:
  std::uint64_t state_;
};

struct Piece {
  std::uint64_t lower = 0, upper = 0, bottom = 0, top = 0;
};

/// Where [low, high) is cut; at least one remains on each side.
std::uint64_t cut_of(std::uint64_t low, std::uint64_t high, Random& random) {
  return low + 1 + random.below(high - low - 1);
}

PlanValue value_of(std::string name, std::uint64_t lower, std::uint64_t upper, std::uint64_t size) {
  PlanValue value;
  value.name = std::move(name);
  value.lower = lower;
  value.upper = upper;
  value.size = size;
  return value;
}

/// Steps after the begin of a layer at which a value is made and was last used, and its size in units of 4 KiB.
struct Activation {
  std::uint32_t lower, upper, units;
};
constexpr std::uint32_t layer_steps = 16;
constexpr std::array<Activation, 20> activations{{
    {0, 2, 16},   {1, 4, 16},   {1, 5, 8},    {1, 7, 8},   {3, 6, 16},   {4, 6, 8},    {5, 7, 64},
    {6, 8, 64},   {7, 9, 16},   {8, 10, 16},  {9, 16, 16}, {10, 13, 16}, {11, 14, 48}, {12, 14, 48},
    {13, 15, 48}, {14, 16, 48}, {15, 17, 16}, {0, 12, 1},  {9, 14, 2},   {15, 33, 16},
}};
constexpr std::uint32_t persistent_values = 9;

void add_layer(PlanProblem& problem, std::uint64_t layer, Random& random) {
  const auto name = [&] { return "v" + std::to_string(problem.values.size()); };
  const std::uint64_t begin = layer * layer_steps;
  for (const Activation& one : activations) {
    auto value = value_of(name(), begin + one.lower, begin + one.upper, (one.units + random.below(2)) * 4096);
    value.alignment = 256;
    problem.values.push_back(std::move(value));
  }
  for (std::uint32_t i = 0; i < persistent_values; ++i) {
    auto value = value_of(name(), 0, 0, (i + 1) * 65536);
    value.alignment = 256;
    value.lifetime = Lifetime::persistent;
    problem.values.push_back(std::move(value));
  }
}

}  // namespace

std::size_t pieces_of(std::uint64_t seed) { return 50 + Random(seed ^ 0x5eed).below(451); }

PlanProblem tight_packing(std::uint64_t seed, std::size_t pieces) {
  Random random(seed);
  std::vector<Piece> all{{0, packing_steps, 0, packing_bytes}};
  while (all.size() < pieces) {
    Piece& piece = all[random.below(all.size())];
    Piece other = piece;
    const bool in_time = random.below(2) == 0;
    if (in_time ? piece.upper - piece.lower < 2 : piece.top - piece.bottom < 2) continue;
    if (in_time) other.lower = piece.upper = cut_of(piece.lower, piece.upper, random);
    else other.bottom = piece.top = cut_of(piece.bottom, piece.top, random);
    all.push_back(other);
  }
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  PlanProblem problem;
  for (const Piece& piece : all) {
    const std::string name = "p" + std::to_string(problem.values.size());
    problem.values.push_back(value_of(name, piece.lower, piece.upper, piece.top - piece.bottom));
  }
  return problem;
}

PlanProblem transformer(std::size_t count) {
  Random random(1);
  PlanProblem problem;
  for (std::uint64_t layer = 0; problem.values.size() < count; ++layer) add_layer(problem, layer, random);
  problem.values.resize(count);
  return problem;
}

std::uint64_t first_fit_by_size(const PlanProblem& problem) {
  const auto& values = problem.values;
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, std::ranges::greater{}, [&](std::uint32_t i) { return std::pair(values[i].size, ~i); });
  std::vector<std::uint64_t> offsets(values.size());
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const PlanValue& one = values[order[i]];
    std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (std::size_t j = 0; j < i; ++j) {
      const PlanValue& two = values[order[j]];
      if (one.lower < two.upper && two.lower < one.upper)
        taken.emplace_back(offsets[order[j]], offsets[order[j]] + two.size);
    }
    std::ranges::sort(taken);
    std::uint64_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (begin >= offset + one.size) break;
      offset = std::max(offset, end);
    }
    offsets[order[i]] = offset;
    total = std::max(total, offset + one.size);
  }
  return total;
}

}  // namespace pintle::bench
