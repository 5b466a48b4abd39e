// What the checks of `doctor --probe` share: each tries something on every device that it is for.
#pragma once

#include <cstdint>
#include <string>

#include "cli/findings.h"
#include "pintle/error.h"
#include "pintle/info.h"

namespace pintle::cli {

/// A finding of each device that `is_for` picks. None where the devices cannot be listed, which another check finds.
[[nodiscard]] Findings look_at_each(bool (*is_for)(const DeviceInfo&), Finding (*look_at)(const DeviceInfo&));
/// Keeps what a trial has shown, for later processes: `base::keep_number` in the cache of this process.
[[nodiscard]] Result<void> keep(const std::string& subject, std::uint64_t number);

}  // namespace pintle::cli
