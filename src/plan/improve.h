// Better plans for a budget: searches for smaller totals until one is the lower bound.
#pragma once

#include <cstdint>

#include "plan/greedy.h"
#include "plan/model.h"
#include "plan/search.h"

namespace pintle::plan {

/// What is known of a model.
struct Known {
  Layout layout{};           ///< The best one yet.
  std::uint64_t least = 0;   ///< No layout takes less.
  std::uint64_t enough = 0;  ///< What a layout need not stay below.
};

/// The search is for one line of time, one chunk, nothing fixed and at most this many blocks.
inline constexpr std::size_t most_searched = 4096;
[[nodiscard]] bool is_searchable(const Model& model) noexcept;

/// Makes the layout smaller and `least` larger until they meet, the layout is enough or the allowance is spent.
void improve(const Model& model, Known& known, Allowance& allowance);

}  // namespace pintle::plan
