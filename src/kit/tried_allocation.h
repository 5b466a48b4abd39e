// The largest allocation that a trial has shown to work, where it is less than what a driver tells.
#pragma once

#include <algorithm>
#include <string>

#include "base/kept_number.h"
#include "base/settings.h"
#include "pintle/info.h"

namespace pintle::kit {

/// Lowers the limits of a device to what `pintle doctor --probe` has found with this driver, if it has.
inline void lower_to_tried(DeviceInfo& info) {
  const auto settings = base::settings();
  if (!settings) return;
  const auto tried =
      base::kept_number(base::cache_folder(**settings), base::allocation_with(info.backend, info.name, info.driver));
  if (!tried) return;
  info.limits.max_allocation = std::min(info.limits.max_allocation, *tried);
  info.limits.max_binding = std::min(info.limits.max_binding, info.limits.max_allocation);
}

}  // namespace pintle::kit
