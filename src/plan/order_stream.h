// A plan in one pass over the steps of a relation, for models with too many conflicts to look at each.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"

namespace pintle::plan {

/// Addresses of the blocks. Each of them, when its first step comes, takes a gap that everybody before has left for it;
/// fixed blocks share with none. For models with a relation.
[[nodiscard]] std::vector<std::uint64_t> place_in_order(const Model& model);

}  // namespace pintle::plan
