// The driver's devices, without a context.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cuda/platform.h"

namespace pintle::cuda {

struct FoundDevices {
  std::vector<FoundDevice> devices;
  std::vector<Absence> absences;  ///< Where nothing is found.
};

/// Asks the driver for its devices, in its order. Creates no context.
[[nodiscard]] FoundDevices find_devices(Platform& platform);

/// What the driver says of a device; 0 where it does not know.
[[nodiscard]] std::uint32_t number(const FoundDevice& found, vendor::cuda::DeviceAttribute what) noexcept;

}  // namespace pintle::cuda
