// The largest allocation that a trial has shown to work, where it is less than what a driver tells.
#pragma once

#include <algorithm>

#include "base/kept_number.h"
#include "kit/tried.h"
#include "pintle/info.h"

namespace pintle::kit {

/// Lowers the limits of a device to what `pintle doctor --probe` has found with this driver, if it has.
inline void lower_to_tried(DeviceInfo& info) {
  const auto most = tried(base::allocation_with(info.backend, info.name, info.driver));
  if (!most) return;
  info.limits.max_allocation = std::min(info.limits.max_allocation, *most);
  info.limits.max_binding = std::min(info.limits.max_binding, info.limits.max_allocation);
}

}  // namespace pintle::kit
