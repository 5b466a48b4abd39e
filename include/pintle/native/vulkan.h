// Typed native access to the vulkan backend. Handles are as Vulkan has them: pointers for dispatchable objects, 64-bit
// numbers for the others.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle::vulkan {

/// `Device::native<VulkanDevice>()`. Valid while the device is open; `queue` is used by the backend too, so that
/// submitting to it needs everything else on this device to be idle.
struct VulkanDevice {
  static constexpr std::string_view native_type = "vulkan.device";
  void* instance = nullptr;         ///< VkInstance
  void* physical_device = nullptr;  ///< VkPhysicalDevice
  void* device = nullptr;           ///< VkDevice
  void* queue = nullptr;            ///< VkQueue of the compute family
  std::uint32_t queue_family = 0;
};

/// `Buffer::native<VulkanMemory>()`: a part of a VkBuffer. Valid while the buffer lives; ordering is the caller's.
struct VulkanMemory {
  static constexpr std::string_view native_type = "vulkan.memory";
  std::uint64_t buffer = 0;  ///< VkBuffer
  std::uint64_t memory = 0;  ///< VkDeviceMemory, which begins where the VkBuffer does
  std::uint64_t offset = 0;  ///< Of the first byte, in both.
  std::uint64_t size = 0;
  std::uint64_t address = 0;  ///< For kernels that take addresses; 0 where the device has none.
};

}  // namespace pintle::vulkan
