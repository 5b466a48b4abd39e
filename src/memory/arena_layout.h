// The demands of a plan on a device, and the dtypes and shapes of its values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/arena.h"
#include "pintle/device.h"
#include "pintle/error.h"
#include "pintle/info.h"
#include "pintle/plan.h"

namespace pintle::memory {

/// `[Value "x"]`.
[[nodiscard]] std::string value_text(std::string_view name);

/// Whether the value has bytes in the arena.
[[nodiscard]] inline bool has_bytes(const PlannedValue& value) noexcept {
  return value.assignment != Assignment::external && value.size != 0;
}

/// Checks that every chunk is within the largest allocation, and that kernels can bind every value.
[[nodiscard]] Result<void> check_limits(const Plan& plan, const DeviceInfo& info);

/// The dtype and shape of each value, in the plan's order.
[[nodiscard]] Result<std::vector<ArenaValue>> describe(const Plan& plan, std::vector<ArenaValue> said);

}  // namespace pintle::memory
