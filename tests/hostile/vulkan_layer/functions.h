// The functions of Vulkan that habits stand before, or call.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <string_view>

/// `EACH(name)` for each function that the instance, or a device, has.
#define HOSTILE_INSTANCE_FUNCTIONS(EACH)             \
  EACH(CreateDevice)                                 \
  EACH(EnumeratePhysicalDevices)                     \
  EACH(GetPhysicalDeviceCalibrateableTimeDomainsEXT) \
  EACH(GetPhysicalDeviceFormatProperties)            \
  EACH(GetPhysicalDeviceMemoryProperties)            \
  EACH(GetPhysicalDeviceMemoryProperties2)           \
  EACH(GetPhysicalDeviceProperties)                  \
  EACH(GetPhysicalDeviceProperties2)                 \
  EACH(GetPhysicalDeviceQueueFamilyProperties)       \
  EACH(GetPhysicalDeviceQueueFamilyProperties2)
#define HOSTILE_DEVICE_FUNCTIONS(EACH)    \
  EACH(AllocateCommandBuffers)            \
  EACH(AllocateMemory)                    \
  EACH(BeginCommandBuffer)                \
  EACH(BindBufferMemory)                  \
  EACH(CmdBindDescriptorSets)             \
  EACH(CmdBindPipeline)                   \
  EACH(CmdBlitImage)                      \
  EACH(CmdClearColorImage)                \
  EACH(CmdCopyBuffer)                     \
  EACH(CmdCopyBufferToImage)              \
  EACH(CmdCopyImageToBuffer)              \
  EACH(CmdCopyQueryPoolResults)           \
  EACH(CmdDispatch)                       \
  EACH(CmdDispatchIndirect)               \
  EACH(CmdExecuteCommands)                \
  EACH(CmdFillBuffer)                     \
  EACH(CmdPipelineBarrier)                \
  EACH(CmdPipelineBarrier2)               \
  EACH(CmdPushConstants)                  \
  EACH(CmdResetQueryPool)                 \
  EACH(CmdUpdateBuffer)                   \
  EACH(CmdWriteTimestamp)                 \
  EACH(CreateBuffer)                      \
  EACH(CreateCommandPool)                 \
  EACH(CreateImage)                       \
  EACH(CreateSemaphore)                   \
  EACH(DestroyBuffer)                     \
  EACH(DestroyCommandPool)                \
  EACH(DestroyDevice)                     \
  EACH(DestroyImage)                      \
  EACH(DestroySemaphore)                  \
  EACH(DeviceWaitIdle)                    \
  EACH(FlushMappedMemoryRanges)           \
  EACH(FreeCommandBuffers)                \
  EACH(FreeMemory)                        \
  EACH(GetBufferMemoryRequirements)       \
  EACH(GetBufferMemoryRequirements2)      \
  EACH(GetDeviceQueue)                    \
  EACH(GetDeviceQueue2)                   \
  EACH(GetFenceStatus)                    \
  EACH(GetImageMemoryRequirements)        \
  EACH(GetImageMemoryRequirements2)       \
  EACH(GetMemoryHostPointerPropertiesEXT) \
  EACH(GetSemaphoreCounterValue)          \
  EACH(InvalidateMappedMemoryRanges)      \
  EACH(MapMemory)                         \
  EACH(QueueSubmit)                       \
  EACH(QueueSubmit2)                      \
  EACH(QueueWaitIdle)                     \
  EACH(SignalSemaphore)                   \
  EACH(UnmapMemory)                       \
  EACH(WaitForFences)                     \
  EACH(WaitSemaphores)

namespace pintle::hostile {

/// Functions of the driver, or of the habits over it. What a driver lacks is null.
struct Functions {
#define HOSTILE_MEMBER(name) PFN_vk##name name = nullptr;
  HOSTILE_INSTANCE_FUNCTIONS(HOSTILE_MEMBER)
  HOSTILE_DEVICE_FUNCTIONS(HOSTILE_MEMBER)
#undef HOSTILE_MEMBER

  [[nodiscard]] bool operator==(const Functions&) const = default;

  void load_instance(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
#define HOSTILE_LOAD(name) name = reinterpret_cast<PFN_vk##name>(get(instance, "vk" #name));
    HOSTILE_INSTANCE_FUNCTIONS(HOSTILE_LOAD)
#undef HOSTILE_LOAD
  }
  /// Those that an earlier device did not have.
  void load_device(PFN_vkGetDeviceProcAddr get, VkDevice device) {
#define HOSTILE_LOAD(name) \
  if (name == nullptr) name = reinterpret_cast<PFN_vk##name>(get(device, "vk" #name));
    HOSTILE_DEVICE_FUNCTIONS(HOSTILE_LOAD)
#undef HOSTILE_LOAD
  }
  /// The function of this name where it is another than in `below`; null otherwise.
  [[nodiscard]] PFN_vkVoidFunction find_changed(std::string_view wanted, const Functions& below) const {
#define HOSTILE_FIND(name) \
  if (wanted == "vk" #name) return name == below.name ? nullptr : reinterpret_cast<PFN_vkVoidFunction>(name);
    HOSTILE_INSTANCE_FUNCTIONS(HOSTILE_FIND)
    HOSTILE_DEVICE_FUNCTIONS(HOSTILE_FIND)
#undef HOSTILE_FIND
    return nullptr;
  }
};

}  // namespace pintle::hostile
