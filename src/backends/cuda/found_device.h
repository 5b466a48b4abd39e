// What is known of a device without a context.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/api.h"
#include "pintle/backend/driver.h"

namespace pintle::cuda {

struct FoundDevice {
  vendor::cuda::Device device = 0;
  DeviceInfo info;
  std::uint64_t memory_bytes = 0;
  int capability = 0;                      ///< 90 for 9.0.
  std::uint32_t default_shared_bytes = 0;  ///< Of a group, for a kernel that does not ask for more.
};

struct FoundDevices {
  std::vector<FoundDevice> devices;
  std::vector<Absence> absences;  ///< Where nothing is found.
};

/// Asks the driver for its devices, in its order. Creates no context.
[[nodiscard]] FoundDevices find_devices();

}  // namespace pintle::cuda
