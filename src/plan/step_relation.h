// What happens before what: the closure of a relation of steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pintle/error.h"
#include "pintle/plan.h"

namespace pintle::plan {

/// One bit for each step.
using StepSet = std::vector<std::uint64_t>;

class StepRelation {
 public:
  /// `invalid_argument` names a step that is none, or a cycle; `unsupported` for too many steps.
  [[nodiscard]] static Result<StepRelation> create(const StepOrder& order);

  [[nodiscard]] std::uint32_t steps() const noexcept { return static_cast<std::uint32_t>(order_.size()); }
  /// An order of the steps that the relation allows; the least step first where several may come next.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }
  [[nodiscard]] bool precedes(std::uint32_t earlier, std::uint32_t later) const noexcept {
    return contains(after_[earlier], later);
  }
  /// The steps that all of `uses` happen before.
  [[nodiscard]] StepSet after_all(std::span<const std::uint32_t> uses) const;
  /// The steps at which a value with these uses is alive in every order.
  [[nodiscard]] std::vector<std::uint32_t> alive(std::span<const std::uint32_t> uses) const;
  /// All of `first` happen before all of `second`, given `after_all(first)`.
  [[nodiscard]] static bool all_in(std::span<const std::uint32_t> second, const StepSet& after) noexcept;
  [[nodiscard]] static bool contains(const StepSet& set, std::uint32_t step) noexcept {
    return (set[step / 64] >> (step % 64) & 1) != 0;
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<StepSet> after_;
};

}  // namespace pintle::plan
