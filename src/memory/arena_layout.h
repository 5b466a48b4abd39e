// What a plan asks of a device, and what its values are.
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

/// It has bytes of the arena.
[[nodiscard]] inline bool has_bytes(const PlannedValue& value) noexcept {
  return value.assignment != Assignment::external && value.size != 0;
}

/// Every chunk is within the largest allocation, and kernels can bind every value.
[[nodiscard]] Result<void> check_limits(const Plan& plan, const DeviceInfo& info);

/// What lies at each value, in the plan's order.
[[nodiscard]] Result<std::vector<ArenaValue>> describe(const Plan& plan, std::vector<ArenaValue> said);

}  // namespace pintle::memory
