// From a device id to a function that opens the device.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pintle/backend/driver.h"
#include "pintle/error.h"

namespace pintle::registry {

/// How to open a device, again after each loss.
struct DeviceRecipe {
  std::string id;  // canonical
  std::function<Result<std::unique_ptr<backend::Device>>()> open;
};

}  // namespace pintle::registry
