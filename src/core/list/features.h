// What the device declares absent never reaches it.
#pragma once

#include "pintle/backend/command.h"
#include "pintle/error.h"
#include "pintle/info.h"

namespace pintle::core {

/// `unsupported` for a command that needs a feature which the device does not have.
[[nodiscard]] Result<void> check_feature(const backend::Operation& operation, const DeviceInfo& info);

}  // namespace pintle::core
