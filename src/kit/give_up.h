// What core tells a device that does not answer.
#pragma once

#include <string_view>

#include "pintle/error.h"

namespace pintle::kit {

/// Passed by `native` with this type: the device is lost from now on, as if its driver had said so. No call waits for
/// the driver any more, and nothing of the device is destroyed, since a driver may wait for ever there.
struct GiveUp {
  static constexpr std::string_view native_type = "pintle.give_up";
  Error cause;
};

}  // namespace pintle::kit
