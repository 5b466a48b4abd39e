#include "kit/graph_shape.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "kit/loop_cost.h"

namespace pintle::kit {
namespace {

// Nanoseconds, as an H200 was measured: 1,000 empty nodes take 0.51 us each in one chain, 0.20 in four, 1.05 alone, and
// 64 of 20 us take 1,330 us in one chain, 341 in four, 98 alone. These three numbers give each of them within an
// eighth.
constexpr float each_branch = 1050, each_node = 800, each_node_of_one_chain = 510;
constexpr std::array<std::size_t, 2> chains{4, 8};
/// To look at the bytes of more commands takes too long.
constexpr std::size_t most_looked_at = 4096;

constexpr std::size_t depth_of(std::size_t count, std::size_t width) noexcept { return (count + width - 1) / width; }

float time_of(std::size_t branches, std::size_t depth, float cost) noexcept {
  if (branches <= 1) return static_cast<float>(depth) * (each_node_of_one_chain + cost);
  return each_branch * static_cast<float>(branches) + static_cast<float>(depth) * (each_node + cost);
}

}  // namespace

GraphShape::GraphShape(const backend::Commands& list, float cost, Order order) {
  if (order == Order::bytes && list.commands.size() <= most_looked_at)
    edges_ = std::make_shared<const GraphEdges>(list);
  *this = GraphShape(edges_, levels_of(list, edges_.get()), cost);
}

GraphShape::GraphShape(std::shared_ptr<const GraphEdges> edges, Levels levels, float cost)
    : edges_(std::move(edges)), levels_(std::move(levels)) {
  for (Level& level : levels_.all) {
    level.width = width_for(level.count, cost == unknown_cost ? 0 : cost);
    has_choice_ |= level.count > few;
  }
  measure();
}

GraphShape::Levels GraphShape::levels_of(const backend::Commands& list, const GraphEdges* edges) {
  std::vector<std::uint32_t> own;
  for (std::uint32_t index = 0; index < list.commands.size(); ++index) {
    const bool is_next = edges == nullptr && index != 0 && list.commands[index].barrier_before;
    own.push_back(edges != nullptr ? edges->level(index) : (own.empty() ? 0 : own.back()) + (is_next ? 1u : 0u));
  }
  Levels levels;
  levels.order.resize(own.size());
  std::iota(levels.order.begin(), levels.order.end(), 0u);
  std::ranges::sort(levels.order, {}, [&](std::uint32_t index) { return std::pair(own[index], index); });
  for (std::size_t place = 0; place < own.size(); ++place) {
    if (place == 0 || own[levels.order[place]] != own[levels.order[place - 1]]) levels.all.push_back({place, 0, 1});
    ++levels.all.back().count;
  }
  return levels;
}

/// A branch begins with a node that is not the first behind another one.
void GraphShape::measure() {
  struct Seen {
    std::size_t depth = 0;
    bool has_next = false;
  };
  std::vector<Seen> seen;
  const auto add = [&](std::span<const std::size_t> before) {
    Seen own{1, false};
    bool continues = false;
    for (const std::size_t other : before) {
      own.depth = std::max(own.depth, seen[other].depth + 1);
      continues |= !std::exchange(seen[other].has_next, true);
    }
    branches_ += continues ? 0 : 1;
    depth_ = std::max(depth_, own.depth);
    seen.push_back(own);
    return Result<std::size_t>(seen.size() - 1);
  };
  static_cast<void>(
      build<std::size_t>([&](std::size_t, std::span<const std::size_t> before) { return add(before); }, add));
}

float GraphShape::expected(float cost) const noexcept { return time_of(branches_, depth_, cost); }

GraphShape::Empty GraphShape::empty() const noexcept {
  return {Duration(static_cast<std::int64_t>(expected(0))), std::max<std::uint64_t>(depth_, 1)};
}

std::size_t GraphShape::width_for(std::size_t count, float cost) noexcept {
  std::size_t best = count;
  if (count <= few) return best;
  const auto expected = [&](std::size_t width) { return time_of(width, depth_of(count, width), cost); };
  for (const std::size_t width : chains) {
    if (expected(width) < expected(best)) best = width;
  }
  return best;
}

/// The driver launches a graph of few chains by itself. One that is wider costs the host a microsecond a node.
std::size_t GraphShape::launches() const noexcept {
  std::size_t count = 1;
  for (const Level& level : levels_.all) count += level.width > few ? level.count : 0;
  return count;
}

}  // namespace pintle::kit
