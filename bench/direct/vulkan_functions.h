// Vulkan's functions, as far as the reference calls them, through the loader that is opened at run time.
#pragma once

#include <vulkan/vulkan_core.h>

#include "base/dylib.h"

#define BENCH_INSTANCE_FUNCTIONS(X) \
  X(EnumeratePhysicalDevices)       \
  X(GetPhysicalDeviceProperties2)   \
  X(GetPhysicalDeviceQueueFamilyProperties) X(GetPhysicalDeviceMemoryProperties) X(CreateDevice) X(GetDeviceProcAddr)

#define BENCH_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice)                \
  X(GetDeviceQueue)               \
  X(DeviceWaitIdle)               \
  X(CreateCommandPool)            \
  X(DestroyCommandPool)           \
  X(ResetCommandPool)             \
  X(AllocateCommandBuffers)       \
  X(BeginCommandBuffer)           \
  X(EndCommandBuffer)             \
  X(CmdBindPipeline)              \
  X(CmdBindDescriptorSets)        \
  X(CmdPushConstants)             \
  X(CmdDispatch)                  \
  X(CmdPipelineBarrier)           \
  X(QueueSubmit)                  \
  X(CreateSemaphore)              \
  X(DestroySemaphore)             \
  X(WaitSemaphores)               \
  X(CreateBuffer)                 \
  X(DestroyBuffer)                \
  X(GetBufferMemoryRequirements)  \
  X(AllocateMemory)               \
  X(FreeMemory)                   \
  X(BindBufferMemory)             \
  X(MapMemory)                    \
  X(CreateShaderModule)           \
  X(DestroyShaderModule)          \
  X(CreateDescriptorSetLayout)    \
  X(DestroyDescriptorSetLayout)   \
  X(CreateDescriptorPool)         \
  X(DestroyDescriptorPool)        \
  X(AllocateDescriptorSets)       \
  X(UpdateDescriptorSets)         \
  X(CreatePipelineLayout)         \
  X(DestroyPipelineLayout)        \
  X(CreatePipelineCache)          \
  X(GetPipelineCacheData)         \
  X(DestroyPipelineCache)         \
  X(CreateComputePipelines)       \
  X(DestroyPipeline)

namespace pintle::bench {

#define BENCH_FIELD(name) PFN_vk##name name = nullptr;

/// The loader and one instance. Neither is ever closed: drivers do not like that, and have threads that outlive main.
struct VulkanInstance {
  base::Dylib loader;
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  VkInstance handle = nullptr;
  BENCH_INSTANCE_FUNCTIONS(BENCH_FIELD)

  [[nodiscard]] static Result<const VulkanInstance*> open();
};

struct VulkanFunctions {
  BENCH_DEVICE_FUNCTIONS(BENCH_FIELD)

  [[nodiscard]] Result<void> load(PFN_vkGetDeviceProcAddr find, VkDevice device);
};

#undef BENCH_FIELD

}  // namespace pintle::bench
