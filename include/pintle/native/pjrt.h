// Typed native access to the pjrt backend.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle::pjrt {

/// `Device::native<PjrtDevice>()`. The handles are the plug-in's, which stays open as long as the process.
struct PjrtDevice {
  static constexpr std::string_view native_type = "pjrt.device";
  void* client = nullptr;  ///< PJRT_Client*
  void* device = nullptr;  ///< PJRT_Device*
};

/// `Device::native<PjrtTransfers>()`: the bytes that have moved since the device was opened. A program that works on
/// whole arrays in place moves none between two launches.
struct PjrtTransfers {
  static constexpr std::string_view native_type = "pjrt.transfers";
  std::uint64_t to_device = 0;  ///< From bytes of the host to arrays.
  std::uint64_t to_host = 0;    ///< From arrays to bytes of the host.
};

}  // namespace pintle::pjrt
