// Devices as core lists them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/pjrt/client.h"
#include "kit/found_devices.h"
#include "pintle/info.h"

namespace pintle::pjrt {

/// Submissions of a queue that may be unfinished.
inline constexpr std::uint32_t max_in_flight = 64;

struct FoundDevice {
  const Session* session = nullptr;
  DeviceInfo info;
};

using FoundDevices = kit::Found<FoundDevice>;

/// One device for each plug-in, in their order. Makes each plug-in's client, which is kept: nothing else says what
/// platform it is.
[[nodiscard]] FoundDevices find_devices();

}  // namespace pintle::pjrt
