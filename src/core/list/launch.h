// The size of a launch, which needs its entry point and the device's limits alone.
#pragma once

#include "pintle/commands.h"
#include "pintle/entry.h"
#include "pintle/error.h"
#include "pintle/info.h"

namespace pintle::core {

/// The work-groups of a launch: each count at least 1 and within the limits. Work-items are rounded up to whole groups.
[[nodiscard]] Result<Grid> groups_of(const Extent& extent, const Grid& group_size, const Limits& limits);

}  // namespace pintle::core
