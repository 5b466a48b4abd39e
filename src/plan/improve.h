// Better plans for a budget: searches for smaller totals until one is the lower bound.
#pragma once

#include <cstdint>

#include "plan/greedy.h"
#include "plan/model.h"
#include "plan/search.h"

namespace pintle::plan {

/// What is known about a model.
struct Known {
  Layout layout{};           ///< The best layout so far.
  std::uint64_t least = 0;   ///< No layout takes fewer bytes.
  std::uint64_t enough = 0;  ///< A layout of so many bytes is good enough.
};

/// The search takes one line of time, one chunk, no fixed block and at most `PlanBudget::most_values` blocks.
[[nodiscard]] bool is_searchable(const Model& model) noexcept;

/// Makes the layout smaller and `least` larger until they meet, the layout is good enough, or the allowance is spent.
void improve(const Model& model, Known& known, Allowance& allowance);

}  // namespace pintle::plan
