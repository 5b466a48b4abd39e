// The architecture of a device.
#pragma once

#include <cstddef>
#include <string>

#include "vendor/hip/runtime.h"

namespace pintle::vendor::hip {

/// "gfx90a:sramecc+:xnack-", from a struct whose members lie elsewhere in each version: behind the name, which comes
/// first in all of them, no other text begins so. Empty where the runtime does not tell it.
[[nodiscard]] inline std::string architecture_of(const Runtime& hip, Device device) {
  constexpr std::size_t name_bytes = 256, most_bytes = 64 << 10;
  const auto ask =
      hip.hipGetDevicePropertiesR0600 != nullptr ? hip.hipGetDevicePropertiesR0600 : hip.hipGetDeviceProperties;
  std::string bytes(most_bytes, '\0');
  if (ask == nullptr || ask(bytes.data(), device) != Status::CUDA_SUCCESS) return {};
  const std::size_t at = bytes.find("gfx", name_bytes);
  return at == std::string::npos ? std::string() : std::string(bytes.c_str() + at);
}

}  // namespace pintle::vendor::hip
