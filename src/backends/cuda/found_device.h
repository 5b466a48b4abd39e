// What is known of a device without a context.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pintle/backend/driver.h"
#include "vendor/cuda/types.h"

namespace pintle::cuda {

class Platform;

struct FoundDevice {
  Platform* platform = nullptr;
  vendor::cuda::Device device = 0;
  DeviceInfo info;
  std::uint64_t memory_bytes = 0;
  int capability = 0;                      ///< A CUDA device's: 90 for 9.0.
  std::string architecture{};              ///< An AMD device's: "gfx90a:sramecc+:xnack-".
  std::uint32_t default_shared_bytes = 0;  ///< A group's, for a kernel that does not ask for more.
};

}  // namespace pintle::cuda
