// The placed blocks that conflict with a block.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"

namespace pintle::plan {

/// On one line of time, a tree over the blocks by where they begin; each node has the last end below it. Elsewhere, the
/// model's lists. Memory is linear.
class Neighbours {
 public:
  explicit Neighbours(const Model& model);

  void add(std::uint32_t block);
  void clear();
  /// Calls visit(block) for each added block that conflicts with `block`.
  template <class Visit>
  void visit(std::uint32_t block, Visit visit) const {
    if (!model_.is_line) {
      for (const std::uint32_t other : model_.conflicts[block]) {
        if (is_added_[other] != 0) visit(other);
      }
      return;
    }
    const Block& one = model_.blocks[block];
    const std::uint32_t count = begins_before_[one.upper];
    if (count != 0) descend(1, 0, leaves_, count, one.lower, visit);
  }
  /// Pairs of blocks that conflict, as a measure of work.
  [[nodiscard]] std::uint64_t pairs() const;

 private:
  template <class Visit>
  void descend(std::uint32_t node, std::uint32_t begin, std::uint32_t end, std::uint32_t count, std::uint32_t lower,
               Visit& visit) const {
    if (begin >= count || last_end_[node] <= lower) return;
    if (end - begin == 1) return visit(by_begin_[begin]);
    const std::uint32_t middle = (begin + end) / 2;
    descend(2 * node, begin, middle, count, lower, visit);
    descend(2 * node + 1, middle, end, count, lower, visit);
  }

  const Model& model_;
  std::vector<std::uint8_t> is_added_;
  std::vector<std::uint32_t> by_begin_, place_of_;
  std::vector<std::uint32_t> begins_before_;  ///< Blocks that begin before each section.
  std::vector<std::uint32_t> last_end_;
  std::uint32_t leaves_ = 1;
};

}  // namespace pintle::plan
