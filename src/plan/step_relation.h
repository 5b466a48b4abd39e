// The closure of a relation of steps: which step happens before which.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pintle/error.h"
#include "pintle/planner.h"

namespace pintle::plan {

/// One bit for each position.
using StepSet = std::vector<std::uint64_t>;

/// Uses by their positions: the uses that no other use comes before, and those that none comes after. A value that is
/// always used has neither.
struct Uses {
  std::vector<std::uint32_t> firsts{};
  std::vector<std::uint32_t> lasts{};
  [[nodiscard]] bool is_always() const noexcept { return lasts.empty(); }
};

/// Steps have positions, in an order that the relation allows. Sets of steps are sets of positions.
class StepRelation {
 public:
  /// `invalid_argument` names a step that does not exist, or a cycle; `unsupported` for too many steps.
  [[nodiscard]] static Result<StepRelation> create(const StepOrder& order);

  [[nodiscard]] std::uint32_t steps() const noexcept { return static_cast<std::uint32_t>(order_.size()); }
  /// An order of the steps that the relation allows; the least step first where several may come next.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }
  [[nodiscard]] std::uint32_t position(std::uint32_t step) const noexcept { return position_[step]; }
  [[nodiscard]] bool precedes(std::uint32_t earlier, std::uint32_t later) const noexcept {
    return contains(after_[position_[earlier]], position_[later]);
  }

  [[nodiscard]] Uses uses_of(std::span<const std::uint32_t> steps) const;
  /// Whether all uses `a` happen before all uses `b`.
  [[nodiscard]] bool are_before(const Uses& a, const Uses& b) const noexcept {
    return !a.is_always() && !b.is_always() && are_before(a.lasts, b.firsts);
  }
  [[nodiscard]] bool are_before(std::span<const std::uint32_t> lasts,
                                std::span<const std::uint32_t> firsts) const noexcept;
  /// The position from which on every step happens after the step at `position`.
  [[nodiscard]] std::uint32_t horizon(std::uint32_t position) const noexcept { return horizon_[position]; }
  /// The steps after the step at `position`.
  [[nodiscard]] const StepSet& after(std::uint32_t position) const noexcept { return after_[position]; }

  /// Calls visit(begin, end) for each run of positions at which a value with these uses is alive in every order.
  template <class Visit>
  void visit_alive(std::span<const std::uint32_t> steps, Visit visit) const {
    const StepSet alive = alive_at(steps);
    std::uint32_t begin = 0;
    bool is_run = false;
    for (std::uint32_t word = 0; word < alive.size(); ++word) {
      if (alive[word] == (is_run ? ~std::uint64_t{0} : 0)) continue;
      for (std::uint32_t bit = 0; bit < 64; ++bit) {
        if ((alive[word] >> bit & 1) == (is_run ? 1u : 0u)) continue;
        is_run = !is_run;
        if (is_run) begin = word * 64 + bit;
        else visit(begin, word * 64 + bit);
      }
    }
    if (is_run) visit(begin, steps_in_words());
  }

 private:
  [[nodiscard]] static bool contains(const StepSet& set, std::uint32_t position) noexcept {
    return (set[position / 64] >> (position % 64) & 1) != 0;
  }
  [[nodiscard]] std::uint32_t words() const noexcept { return (steps() + 63) / 64; }
  [[nodiscard]] std::uint32_t steps_in_words() const noexcept { return words() * 64; }
  [[nodiscard]] StepSet alive_at(std::span<const std::uint32_t> steps) const;
  void close(const std::vector<std::vector<std::uint32_t>>& successors);

  std::vector<std::uint32_t> order_, position_, horizon_;
  std::vector<StepSet> after_, before_;  ///< One set for each position.
};

}  // namespace pintle::plan
