// Typed native access to the vulkan backend. Handles have the types that Vulkan gives them: pointers for dispatchable
// objects, 64-bit numbers for the others.
#pragma once

#include <cstdint>
#include <string_view>

namespace pintle::vulkan {

/// `Device::native<VulkanDevice>()`; for `wrap_native`, with the last two members too. Valid while the device is open.
/// The backend uses `queue` too, so submit to it only while everything else on this device is idle.
struct VulkanDevice {
  static constexpr std::string_view native_type = "vulkan.device";
  void* instance = nullptr;         ///< VkInstance
  void* physical_device = nullptr;  ///< VkPhysicalDevice
  void* device = nullptr;           ///< VkDevice
  void* queue = nullptr;            ///< VkQueue of the compute family
  std::uint32_t queue_family = 0;
  // The rest is for `wrap_native` alone:
  /// The VkDeviceCreateInfo that made `device`. It says which extensions and features are on, and among which families
  /// buffers are shared. timelineSemaphore must be on. Features are read from pEnabledFeatures,
  /// VkPhysicalDeviceFeatures2 and Vulkan11/12/13Features, and from the structs of single features for timeline
  /// semaphores, buffer addresses, synchronization2, subgroup size control and device fault.
  const void* create_info = nullptr;
  void* get_instance_proc_addr = nullptr;  ///< PFN_vkGetInstanceProcAddr; null: that of libvulkan.so.1.
};

/// `Queue::native<VulkanQueue>()`. Several queues may share one VkQueue, and the backend submits to it from the threads
/// that submit. For `wrap_native`: a queue of a family in `create_info`, to which nothing else submits meanwhile.
struct VulkanQueue {
  static constexpr std::string_view native_type = "vulkan.queue";
  void* queue = nullptr;  ///< VkQueue
  std::uint32_t family = 0;
};

/// `Buffer::native<VulkanMemory>()`: a part of a VkBuffer. Valid while the buffer lives; the caller orders accesses by
/// points. For `wrap_native`: a VkBuffer with the usages transfer source, transfer destination and storage, bound to
/// memory. `offset` is a multiple of the device's offset alignment, and `size` is at least the next multiple of 4 of
/// the bytes wanted. `memory` may be 0, and so may `address` where no kernel takes it.
struct VulkanMemory {
  static constexpr std::string_view native_type = "vulkan.memory";
  std::uint64_t buffer = 0;  ///< VkBuffer
  std::uint64_t memory = 0;  ///< VkDeviceMemory, which begins where the VkBuffer does
  std::uint64_t offset = 0;  ///< The first byte, counted from the start of both.
  std::uint64_t size = 0;
  std::uint64_t address = 0;  ///< The address for kernels that take one; 0 where the device has none.

  void narrow(std::uint64_t bytes, std::uint64_t wanted) noexcept {
    offset += bytes;
    if (bytes != 0) size = wanted;
    if (address != 0) address += bytes;
  }
};

}  // namespace pintle::vulkan
