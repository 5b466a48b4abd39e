// The driver's devices, without a context.
#pragma once

#include <cstdint>

#include "backends/cuda/platform.h"
#include "kit/found_devices.h"

namespace pintle::cuda {

using FoundDevices = kit::Found<FoundDevice>;

/// Asks the driver for its devices, in its order. Creates no context.
[[nodiscard]] FoundDevices find_devices(Platform& platform);

/// What the driver says of a device; 0 where it does not know.
[[nodiscard]] std::uint32_t number(const FoundDevice& found, vendor::cuda::DeviceAttribute what) noexcept;

}  // namespace pintle::cuda
