// How a list becomes a graph: which commands stand one behind another, and which side by side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pintle/backend/command.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::kit {

/// The commands between two barriers, which may run at one time, in `width` chains. Where a node of a graph costs more
/// than what it does, chains are faster than nodes that stand alone; where a command is long, the other way round.
class GraphShape {
 public:
  /// `cost`: nanoseconds of one command, perhaps `unknown_cost`, which is taken for little.
  GraphShape(const backend::Commands& list, float cost);

  /// Whether another cost might give another shape.
  [[nodiscard]] bool has_choice() const noexcept { return has_choice_; }
  /// Whether a shape for this cost would be faster by so much that it is worth another graph.
  [[nodiscard]] bool is_outgrown(float cost) const noexcept;
  /// What a run takes where the commands cost nothing, and how many of them stand one behind another.
  struct Empty {
    Duration time{};
    std::uint64_t depth = 1;
  };
  [[nodiscard]] Empty empty() const noexcept;
  /// How many nodes a launch gives to the device one by one.
  [[nodiscard]] std::size_t launches() const noexcept;

  /// Makes the graph in the order of the list: `add(index, before)` returns the node of a command behind the nodes
  /// `before`, `join(before)` a node that does nothing.
  template <class Node, class Add, class Join>
  [[nodiscard]] Result<void> build(Add add, Join join) const;

 private:
  struct Phase {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t width = 1;
  };
  [[nodiscard]] static std::size_t width_for(std::size_t count, float cost) noexcept;
  [[nodiscard]] static float expected(std::size_t count, std::size_t width, float cost) noexcept;

  std::vector<Phase> phases_;
  bool has_choice_ = false;
};

template <class Node, class Add, class Join>
Result<void> GraphShape::build(Add add, Join join) const {
  std::vector<Node> before, nodes;
  for (const Phase& phase : phases_) {
    if (before.size() > 1 && phase.width > 1) {
      PINTLE_ASSIGN(joined, join(std::span<const Node>(before)));
      before.assign(1, joined);
    }
    nodes.clear();
    for (std::size_t index = 0; index < phase.count; ++index) {
      const bool is_behind = index >= phase.width;
      const std::span<const Node> own =
          is_behind ? std::span<const Node>(nodes).subspan(index - phase.width, 1) : std::span<const Node>(before);
      PINTLE_ASSIGN(node, add(phase.first + index, own));
      nodes.push_back(node);
    }
    before.assign(nodes.end() - static_cast<std::ptrdiff_t>(std::min(phase.width, phase.count)), nodes.end());
  }
  return {};
}

}  // namespace pintle::kit
