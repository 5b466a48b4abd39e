// The least total of a plan by trying everything: it shares nothing with the planner and is for a few values only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "pintle/planner.h"

namespace pintle::test {

/// For one line of time. Every choice of in-place pairs makes groups of one offset. In some order of the groups each of
/// them lies at its lowest free place; each chunk has an order of its own.
class PlanOracle {
 public:
  explicit PlanOracle(const PlanProblem& problem) : problem_(problem) {
    for (std::uint32_t i = 0; i < problem.values.size(); ++i) {
      const PlanValue& one = problem.values[i];
      if (one.size == 0 || one.assignment == Assignment::external) continue;
      (one.assignment == Assignment::fixed ? fixed_ : movable_).push_back(i);
    }
  }

  /// Nothing where fixed values overlap or leave the largest chunk.
  [[nodiscard]] std::optional<std::uint64_t> least_total() {
    for (const std::uint32_t a : fixed_) {
      for (const std::uint32_t b : fixed_) {
        if (a != b && value(a).chunk == value(b).chunk && collide(a, value(a).offset, b, value(b).offset)) return {};
      }
    }
    const std::uint64_t choices = std::uint64_t{1} << problem_.in_place.size();
    for (std::uint64_t choice = 0; choice < choices; ++choice) try_pairs(choice);
    if (least_ == PlanProblem::no_limit) return {};
    return least_;
  }

 private:
  using Heights = std::vector<std::uint64_t>;  // of a chunk with each set of groups
  static constexpr std::uint64_t never = PlanProblem::no_limit;

  struct Placed {
    std::uint32_t value;
    std::uint64_t offset;
  };

  [[nodiscard]] const PlanValue& value(std::uint32_t i) const { return problem_.values[i]; }

  [[nodiscard]] bool are_alive_together(std::uint32_t a, std::uint32_t b) const {
    if (value(a).lifetime == Lifetime::persistent || value(b).lifetime == Lifetime::persistent) return true;
    return value(a).lower < value(b).upper && value(b).lower < value(a).upper;
  }

  [[nodiscard]] bool has_pair(std::uint32_t from, std::uint32_t to) const {
    const auto is_plain = [&](std::uint32_t i) {
      return value(i).lifetime == Lifetime::steps && value(i).assignment == Assignment::planned;
    };
    return std::ranges::find(problem_.in_place, InPlace{from, to}) != problem_.in_place.end() && is_plain(from) &&
           is_plain(to) && value(from).upper - 1 == value(to).lower && value(to).size <= value(from).size;
  }

  [[nodiscard]] bool collide(std::uint32_t a, std::uint64_t x, std::uint32_t b, std::uint64_t y) const {
    if (x >= y + value(b).size || y >= x + value(a).size || !are_alive_together(a, b)) return false;
    return x != y || (!has_pair(a, b) && !has_pair(b, a));
  }

  void try_pairs(std::uint64_t choice) {
    std::vector<std::uint32_t> group(problem_.values.size());
    for (std::uint32_t i = 0; i < group.size(); ++i) group[i] = i;
    for (std::size_t i = 0; i < problem_.in_place.size(); ++i) {
      const auto [from, to] = problem_.in_place[i];
      if ((choice >> i & 1) == 0) continue;
      if (!has_pair(from, to)) return;
      std::ranges::replace(group, group[from], group[to]);
    }
    groups_.clear();
    for (std::uint32_t leader = 0; leader < group.size(); ++leader) {
      std::vector<std::uint32_t> members;
      for (const std::uint32_t one : movable_) {
        if (group[one] == leader) members.push_back(one);
      }
      if (members.empty()) continue;
      for (const std::uint32_t a : members) {
        for (const std::uint32_t b : members) {
          if (a != b && collide(a, 0, b, 0)) return;
        }
      }
      groups_.push_back(std::move(members));
    }
    take_least();
  }

  /// Groups shared out among the chunks with fixed values, and the rest among others.
  void take_least() {
    const std::size_t sets = std::size_t{1} << groups_.size();
    Heights sums(sets, never);
    sums[0] = 0;
    std::set<std::uint32_t> chunks;
    for (const std::uint32_t one : fixed_) chunks.insert(value(one).chunk);
    for (const std::uint32_t chunk : chunks) sums = added(sums, heights_with(chunk));
    const Heights free = heights_with(std::nullopt);
    if (problem_.largest_chunk == PlanProblem::no_limit) {
      if (chunks.empty()) sums = added(sums, free);
    } else {
      for (std::size_t i = 0; i < groups_.size(); ++i) sums = added(sums, free);
    }
    least_ = std::min(least_, sums[sets - 1]);
  }

  [[nodiscard]] static Heights added(const Heights& sums, const Heights& heights) {
    Heights all(sums.size(), never);
    for (std::size_t set = 0; set < sums.size(); ++set) {
      for (std::size_t part = set;; part = (part - 1) & set) {
        if (heights[part] != never && sums[set & ~part] != never)
          all[set] = std::min(all[set], heights[part] + sums[set & ~part]);
        if (part == 0) break;
      }
    }
    return all;
  }

  [[nodiscard]] Heights heights_with(std::optional<std::uint32_t> chunk) {
    heights_.assign(std::size_t{1} << groups_.size(), never);
    placed_.clear();
    std::uint64_t height = 0;
    for (const std::uint32_t one : fixed_) {
      if (!chunk || value(one).chunk != *chunk) continue;
      placed_.push_back({one, value(one).offset});
      height = std::max(height, value(one).offset + value(one).size);
    }
    extend(0, height);
    return heights_;
  }

  void extend(std::size_t set, std::uint64_t height) {
    if (height > problem_.largest_chunk) return;
    heights_[set] = std::min(heights_[set], height);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if ((set >> i & 1) != 0) continue;
      const std::uint64_t offset = lowest_place(groups_[i]);
      std::uint64_t top = height;
      for (const std::uint32_t one : groups_[i]) {
        placed_.push_back({one, offset});
        top = std::max(top, offset + value(one).size);
      }
      extend(set | std::size_t{1} << i, top);
      placed_.resize(placed_.size() - groups_[i].size());
    }
  }

  [[nodiscard]] std::uint64_t lowest_place(const std::vector<std::uint32_t>& group) const {
    std::uint64_t step = 1;
    for (const std::uint32_t one : group) step = std::max(step, value(one).alignment);
    std::uint64_t offset = 0;
    for (bool is_free = false; !is_free;) {
      is_free = true;
      for (const std::uint32_t one : group) {
        for (const Placed& other : placed_) {
          if (!collide(one, offset, other.value, other.offset)) continue;
          is_free = false;
          const std::uint64_t least = std::max(offset + 1, same_or_above(one, offset, other));
          offset = (least + step - 1) / step * step;
        }
      }
    }
    return offset;
  }

  /// A pair may lie at one offset, which is above where it collides; past that there is nothing below the other's end.
  [[nodiscard]] std::uint64_t same_or_above(std::uint32_t one, std::uint64_t offset, const Placed& other) const {
    const bool is_pair = has_pair(one, other.value) || has_pair(other.value, one);
    return is_pair && offset < other.offset ? other.offset : other.offset + value(other.value).size;
  }

  const PlanProblem& problem_;
  std::vector<std::uint32_t> fixed_, movable_;
  std::vector<std::vector<std::uint32_t>> groups_;
  std::vector<Placed> placed_;
  Heights heights_;
  std::uint64_t least_ = PlanProblem::no_limit;
};

inline std::optional<std::uint64_t> least_total_of(const PlanProblem& problem) {
  return PlanOracle(problem).least_total();
}

}  // namespace pintle::test
