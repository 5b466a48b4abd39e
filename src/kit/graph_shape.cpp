#include "kit/graph_shape.h"

#include <array>

#include "kit/loop_cost.h"

namespace pintle::kit {
namespace {

// Nanoseconds, as an H200 was measured: 1,000 empty nodes take 0.51 us each in one chain, 0.20 in four, 1.05 alone, and
// 64 of 20 us take 1,330 us in one chain, 341 in four, 98 alone. These three numbers give each of them within an
// eighth.
constexpr float each_branch = 1050, each_node = 800, each_node_of_one_chain = 510;
/// Fewer commands stand alone whatever they cost.
constexpr std::size_t few = 8;
constexpr std::array<std::size_t, 2> chains{4, 8};

constexpr std::size_t depth_of(std::size_t count, std::size_t width) noexcept { return (count + width - 1) / width; }

float own_cost(std::size_t count, std::size_t width) noexcept {
  if (width == 1) return each_node_of_one_chain * static_cast<float>(count);
  return each_branch * static_cast<float>(width) + each_node * static_cast<float>(depth_of(count, width));
}

}  // namespace

GraphShape::GraphShape(const backend::Commands& list, float cost) {
  for (std::size_t index = 0; index < list.commands.size(); ++index) {
    if (index == 0 || list.commands[index].barrier_before) phases_.push_back({index, 0, 1});
    ++phases_.back().count;
  }
  for (Phase& phase : phases_) {
    phase.width = width_for(phase.count, cost == unknown_cost ? 0 : cost);
    has_choice_ |= phase.count > few;
  }
}

float GraphShape::expected(std::size_t count, std::size_t width, float cost) noexcept {
  return own_cost(count, width) + cost * static_cast<float>(depth_of(count, width));
}

std::size_t GraphShape::width_for(std::size_t count, float cost) noexcept {
  std::size_t best = count;
  if (count <= few) return best;
  for (const std::size_t width : chains) {
    if (expected(count, width, cost) < expected(count, best, cost)) best = width;
  }
  return best;
}

bool GraphShape::is_outgrown(float cost) const noexcept {
  constexpr float worth_it = 0.8f;
  float now = 0, then = 0;
  for (const Phase& phase : phases_) {
    now += expected(phase.count, phase.width, cost);
    then += expected(phase.count, width_for(phase.count, cost), cost);
  }
  return then < worth_it * now;
}

GraphShape::Empty GraphShape::empty() const noexcept {
  float time = 0;
  std::uint64_t depth = 0;
  for (const Phase& phase : phases_) {
    time += own_cost(phase.count, phase.width);
    depth += depth_of(phase.count, phase.width);
  }
  return {Duration(static_cast<std::int64_t>(time)), depth};
}

/// The driver launches a graph of few chains by itself. One that is wider costs the host a microsecond a node.
std::size_t GraphShape::launches() const noexcept {
  std::size_t count = 1;
  for (const Phase& phase : phases_) count += phase.width > few ? phase.count : 0;
  return count;
}

}  // namespace pintle::kit
