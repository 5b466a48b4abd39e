// The variables that a function reaches, its callees included.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "spirv/tables.h"

namespace pintle::spirv {

/// The ids that the function and its callees write, read or use (`how`): variables, and pointers on the way to them. A
/// pointer that a condition or a caller chooses reaches all that it may point into.
[[nodiscard]] std::vector<std::uint32_t> touched_by(const Tables& tables, std::uint32_t function,
                                                    std::set<std::uint32_t> Body::* how);

/// The variables of images, each with each variable of a sampler that reads it.
[[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> combined_by(const Tables& tables,
                                                                               std::uint32_t function);

}  // namespace pintle::spirv
