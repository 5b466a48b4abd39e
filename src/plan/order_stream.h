// A plan in one pass over the steps of a relation, for models with too many conflicts to look at each.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"

namespace pintle::plan {

/// Addresses of the blocks. When its first step comes, each block takes a gap that all earlier users have left for it.
/// Fixed blocks share with none. For models with a relation.
[[nodiscard]] std::vector<std::uint64_t> place_in_order(const Model& model);

}  // namespace pintle::plan
