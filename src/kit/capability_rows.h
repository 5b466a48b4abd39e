// What a device says of a feature.
#pragma once

#include <algorithm>
#include <utility>

#include "pintle/info.h"

namespace pintle::kit {

/// Puts the row in the place of the feature's row, or behind all.
inline void set_row(DeviceInfo& info, Capability row) {
  std::erase_if(info.capabilities, [&](const Capability& other) { return other.feature == row.feature; });
  info.capabilities.push_back(std::move(row));
}

}  // namespace pintle::kit
