// A command that needs a feature which the device declares absent never reaches the device.
#pragma once

#include "pintle/backend/command.h"
#include "pintle/error.h"
#include "pintle/info.h"

namespace pintle::core {

/// `unsupported` where the command needs a feature that the device does not have.
[[nodiscard]] Result<void> check_feature(const backend::Operation& operation, const DeviceInfo& info);

}  // namespace pintle::core
