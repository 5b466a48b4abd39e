// Open devices: an id that is opened twice is one device.
#pragma once

#include <memory>

#include "core/device/device_state.h"

namespace pintle::core {

/// The device that is open under the recipe's id, or a new one. While one thread opens an id, other threads that want
/// this id wait; other ids are not concerned.
Result<std::shared_ptr<DeviceState>> open_once(DeviceRecipe recipe);

}  // namespace pintle::core
