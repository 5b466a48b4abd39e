// What a device says of a feature.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "pintle/info.h"

namespace pintle::kit {

/// Native, and how, or absent, and why.
[[nodiscard]] inline Capability row(Feature feature, bool has, std::string why_not, std::string how = {}) {
  return has ? Capability{feature, Support::native, std::move(how)}
             : Capability{feature, Support::absent, std::move(why_not)};
}

/// Puts the row in the place of the feature's row, or behind all.
inline void set_row(DeviceInfo& info, Capability row) {
  std::erase_if(info.capabilities, [&](const Capability& other) { return other.feature == row.feature; });
  info.capabilities.push_back(std::move(row));
}

}  // namespace pintle::kit
