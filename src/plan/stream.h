// A plan in one pass over time, for models that are too dense for the other solvers.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/model.h"

namespace pintle::plan {

/// Writes addresses from `ground` on. Each block takes the tightest free gap when it begins, and gives it back when it
/// ends. n log n; where alignments are mixed, a little more. For one line of time, one chunk and no fixed block.
void place_in_time(const Model& model, const std::vector<std::uint32_t>& blocks, std::uint64_t ground,
                   std::vector<std::uint64_t>& addresses);

}  // namespace pintle::plan
