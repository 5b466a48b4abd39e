// The size that no plan can stay below.
#pragma once

#include <cstdint>

#include "plan/model.h"

namespace pintle::plan {

/// Bytes of values that are alive together. `plain` is the model without sharing.
[[nodiscard]] std::uint64_t lower_bound_of(const Checked& checked, const Model& plain);

}  // namespace pintle::plan
