// How a list becomes a graph: which commands stand one behind another, and which side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kit/graph_edges.h"
#include "pintle/backend/command.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::kit {

/// The commands that may run at one time stand alone or in chains. Where a node of a graph costs more than what it
/// does, chains are faster; where a command is long, it is the other way round. Edges come from the bytes that commands
/// touch (`GraphEdges`), and from barriers alone where a list is very long, or the backend says so.
class GraphShape {
 public:
  /// What orders the commands. Barriers do where memories may have bytes in common.
  enum class Order : std::uint8_t { bytes, barriers };
  /// `cost`: nanoseconds of one command, perhaps `unknown_cost`, which is taken for little.
  GraphShape(const backend::Commands& list, float cost, Order order = Order::bytes);
  /// The same list for another cost.
  [[nodiscard]] GraphShape reshaped(float cost) const { return GraphShape(edges_, levels_, cost); }

  /// Whether another cost might give another shape.
  [[nodiscard]] bool has_choice() const noexcept { return has_choice_; }
  /// Nanoseconds of a run.
  [[nodiscard]] float expected(float cost) const noexcept;
  /// What a run takes where the commands cost nothing, and how many of them stand one behind another.
  struct Empty {
    Duration time{};
    std::uint64_t depth = 1;
  };
  [[nodiscard]] Empty empty() const noexcept;
  /// How many nodes a launch gives to the device one by one.
  [[nodiscard]] std::size_t launches() const noexcept;

  /// Makes the graph: `add(index, before)` returns the node of a command behind the nodes `before`, `join(before)` a
  /// node that does nothing.
  template <class Node, class Add, class Join>
  [[nodiscard]] Result<void> build(Add add, Join join) const;

 private:
  /// Commands that may run at one time, in `width` chains.
  struct Level {
    std::size_t first = 0;  // of the order
    std::size_t count = 0;
    std::size_t width = 1;
  };
  /// The commands, level by level.
  struct Levels {
    std::vector<std::uint32_t> order;
    std::vector<Level> all;
  };
  /// Fewer commands stand alone whatever they cost.
  static constexpr std::size_t few = 8;

  GraphShape(std::shared_ptr<const GraphEdges> edges, Levels levels, float cost);
  [[nodiscard]] static Levels levels_of(const backend::Commands& list, const GraphEdges* edges);
  [[nodiscard]] static std::size_t width_for(std::size_t count, float cost) noexcept;
  void measure();

  std::shared_ptr<const GraphEdges> edges_;  // null where barriers order the commands
  Levels levels_;
  bool has_choice_ = false;
  std::size_t branches_ = 0, depth_ = 0;  // of the graph: nodes that begin a branch, nodes one behind another
};

template <class Node, class Add, class Join>
Result<void> GraphShape::build(Add add, Join join) const {
  std::vector<Node> nodes(levels_.order.size()), before, all;
  std::vector<std::uint8_t> is_last(nodes.size(), 0);  // nothing is behind it yet
  std::vector<std::uint32_t> maybe_last;
  const auto add_node = [&](std::uint32_t command) -> Result<void> {
    PINTLE_ASSIGN(node, add(std::size_t{command}, std::span<const Node>(before)));
    nodes[command] = node;
    is_last[command] = 1;
    maybe_last.push_back(command);
    return {};
  };
  const auto put_behind = [&](std::uint32_t other) {
    before.push_back(nodes[other]);
    is_last[other] = 0;
  };
  for (const Level& level : levels_.all) {
    const auto commands = std::span(levels_.order).subspan(level.first, level.count);
    const bool is_narrow = edges_ != nullptr && level.count <= few;
    if (!is_narrow) {
      all.clear();
      for (const std::uint32_t command : maybe_last) {
        if (std::exchange(is_last[command], std::uint8_t{0}) != 0) all.push_back(nodes[command]);
      }
      maybe_last.clear();
      if (all.size() > 1 && level.width > 1) {
        PINTLE_ASSIGN(joined, join(std::span<const Node>(all)));
        all.assign(1, joined);
      }
    }
    for (std::size_t index = 0; index < level.count; ++index) {
      before.clear();
      if (is_narrow) std::ranges::for_each(edges_->before(commands[index]), put_behind);
      else if (index >= level.width) put_behind(commands[index - level.width]);
      else before = all;
      PINTLE_TRY(add_node(commands[index]));
    }
  }
  return {};
}

}  // namespace pintle::kit
