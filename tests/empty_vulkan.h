// A driver of Vulkan's whose calls do nothing and succeed, so that what is above it is seen alone. It has one device,
// and work is done when it is submitted.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <span>
#include <string_view>

#include "vulkan_chain.h"

namespace pintle::test::empty_vulkan {

/// What stands for each object that has nothing of its own.
template <class Handle>
Handle some() noexcept {
  static char object;
  return reinterpret_cast<Handle>(&object);
}

/// A call that does nothing; one that makes an object answers some.
template <class Function>
struct Empty;
template <class Answer, class... Arguments>
struct Empty<Answer(VKAPI_PTR*)(Arguments...)> {
  static VKAPI_ATTR Answer VKAPI_CALL call(Arguments...) { return Answer(); }
};
template <class Owner, class Info, class Handle>
struct Empty<VkResult(VKAPI_PTR*)(Owner, const Info*, const VkAllocationCallbacks*, Handle*)> {
  static VKAPI_ATTR VkResult VKAPI_CALL call(Owner, const Info*, const VkAllocationCallbacks*, Handle* made) {
    *made = some<Handle>();
    return VK_SUCCESS;
  }
};

inline VkPhysicalDeviceProperties properties_of_device() noexcept {
  VkPhysicalDeviceProperties properties{};
  properties.apiVersion = VK_API_VERSION_1_3;
  properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  std::strcpy(properties.deviceName, "An empty driver (simulated)");
  VkPhysicalDeviceLimits& limits = properties.limits;
  limits.timestampPeriod = 1;
  limits.maxStorageBufferRange = limits.maxUniformBufferRange = 1 << 30;
  limits.maxPushConstantsSize = 128;
  limits.maxBoundDescriptorSets = 4;
  limits.maxPerStageDescriptorStorageBuffers = limits.maxDescriptorSetStorageBuffers = 64;
  limits.maxPerStageDescriptorUniformBuffers = limits.maxDescriptorSetUniformBuffers = 64;
  limits.maxPerStageResources = 128;
  limits.maxComputeSharedMemorySize = 1 << 15;
  limits.maxComputeWorkGroupInvocations = 1024;
  limits.minStorageBufferOffsetAlignment = limits.minTexelBufferOffsetAlignment = 64;
  for (int side = 0; side < 3; ++side) {
    limits.maxComputeWorkGroupCount[side] = 65'535;
    limits.maxComputeWorkGroupSize[side] = 1024;
  }
  return properties;
}

struct InstanceCalls {
  static VKAPI_ATTR VkResult VKAPI_CALL version(std::uint32_t* version) {
    *version = VK_API_VERSION_1_3;
    return VK_SUCCESS;
  }
  static VKAPI_ATTR VkResult VKAPI_CALL create(const VkInstanceCreateInfo*, const VkAllocationCallbacks*,
                                               VkInstance* made) {
    *made = some<VkInstance>();
    return VK_SUCCESS;
  }
  static VKAPI_ATTR VkResult VKAPI_CALL devices(VkInstance, std::uint32_t* count, VkPhysicalDevice* devices) {
    if (devices != nullptr && *count != 0) devices[0] = some<VkPhysicalDevice>();
    *count = 1;
    return VK_SUCCESS;
  }
  static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice, VkPhysicalDeviceProperties* properties) {
    *properties = properties_of_device();
  }
  static VKAPI_ATTR void VKAPI_CALL properties_2(VkPhysicalDevice, VkPhysicalDeviceProperties2* all) {
    all->properties = properties_of_device();
    if (auto* const more = find_in<VkPhysicalDeviceVulkan11Properties>(
            all->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)) {
      more->maxMemoryAllocationSize = 1 << 30;
      more->subgroupSize = 32;
    }
  }
  static VKAPI_ATTR void VKAPI_CALL features(VkPhysicalDevice, VkPhysicalDeviceFeatures2* all) {
    if (auto* const more = find_in<VkPhysicalDeviceVulkan12Features>(
            all->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES))
      more->timelineSemaphore = VK_TRUE;
  }
  static VKAPI_ATTR void VKAPI_CALL memory(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties2* all) {
    VkPhysicalDeviceMemoryProperties& memory = all->memoryProperties;
    memory = {};
    memory.memoryHeapCount = memory.memoryTypeCount = 1;
    memory.memoryHeaps[0] = {std::uint64_t{16} << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    memory.memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                 VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                             0};
  }
  static VKAPI_ATTR void VKAPI_CALL families(VkPhysicalDevice, std::uint32_t* count, VkQueueFamilyProperties* all) {
    if (all != nullptr && *count != 0) all[0] = {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1, 64, {1, 1, 1}};
    *count = 1;
  }
};

/// A semaphore is its counter, a buffer its size, memory its bytes.
struct DeviceCalls {
  static VKAPI_ATTR void VKAPI_CALL queue(VkDevice, std::uint32_t, std::uint32_t, VkQueue* queue) {
    *queue = some<VkQueue>();
  }
  static VKAPI_ATTR VkResult VKAPI_CALL commands(VkDevice, const VkCommandBufferAllocateInfo* info,
                                                 VkCommandBuffer* made) {
    std::ranges::fill(std::span(made, info->commandBufferCount), some<VkCommandBuffer>());
    return VK_SUCCESS;
  }
  static VKAPI_ATTR VkResult VKAPI_CALL sets(VkDevice, const VkDescriptorSetAllocateInfo* info, VkDescriptorSet* made) {
    std::ranges::fill(std::span(made, info->descriptorSetCount), some<VkDescriptorSet>());
    return VK_SUCCESS;
  }
  static VKAPI_ATTR VkResult VKAPI_CALL pipelines(VkDevice, VkPipelineCache, std::uint32_t count,
                                                  const VkComputePipelineCreateInfo*, const VkAllocationCallbacks*,
                                                  VkPipeline* made) {
    std::ranges::fill(std::span(made, count), some<VkPipeline>());
    return VK_SUCCESS;
  }
  static VKAPI_ATTR VkResult VKAPI_CALL cache_data(VkDevice, VkPipelineCache, std::size_t* size, void*) {
    *size = 0;
    return VK_SUCCESS;
  }

  static VKAPI_ATTR VkResult VKAPI_CALL create_semaphore(VkDevice, const VkSemaphoreCreateInfo*,
                                                         const VkAllocationCallbacks*, VkSemaphore* made) {
    *made = reinterpret_cast<VkSemaphore>(new std::uint64_t(0));
    return VK_SUCCESS;
  }
  static VKAPI_ATTR void VKAPI_CALL destroy_semaphore(VkDevice, VkSemaphore semaphore, const VkAllocationCallbacks*) {
    delete reinterpret_cast<std::uint64_t*>(semaphore);
  }
  static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue, std::uint32_t count, const VkSubmitInfo* infos, VkFence) {
    for (const VkSubmitInfo& info : std::span(infos, count)) {
      const auto& values = *static_cast<const VkTimelineSemaphoreSubmitInfo*>(info.pNext);
      for (std::uint32_t i = 0; i < info.signalSemaphoreCount; ++i)
        *reinterpret_cast<std::uint64_t*>(info.pSignalSemaphores[i]) = values.pSignalSemaphoreValues[i];
    }
    return VK_SUCCESS;
  }
  static VKAPI_ATTR VkResult VKAPI_CALL counter(VkDevice, VkSemaphore semaphore, std::uint64_t* value) {
    *value = *reinterpret_cast<const std::uint64_t*>(semaphore);
    return VK_SUCCESS;
  }

  static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice, const VkBufferCreateInfo* info,
                                                      const VkAllocationCallbacks*, VkBuffer* made) {
    *made = reinterpret_cast<VkBuffer>(new VkDeviceSize(info->size));
    return VK_SUCCESS;
  }
  static VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice, VkBuffer buffer, const VkAllocationCallbacks*) {
    delete reinterpret_cast<VkDeviceSize*>(buffer);
  }
  static VKAPI_ATTR void VKAPI_CALL needs_of_buffer(VkDevice, VkBuffer buffer, VkMemoryRequirements* needs) {
    *needs = {*reinterpret_cast<const VkDeviceSize*>(buffer), 256, 1};
  }
  static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice, const VkMemoryAllocateInfo* info,
                                                 const VkAllocationCallbacks*, VkDeviceMemory* made) {
    *made = static_cast<VkDeviceMemory>(std::aligned_alloc(4096, (info->allocationSize + 4095) / 4096 * 4096));
    return *made == nullptr ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS;
  }
  static VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice, VkDeviceMemory memory, const VkAllocationCallbacks*) {
    std::free(memory);
  }
  static VKAPI_ATTR VkResult VKAPI_CALL map(VkDevice, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize,
                                            VkMemoryMapFlags, void** data) {
    *data = reinterpret_cast<std::byte*>(memory) + offset;
    return VK_SUCCESS;
  }
};

using Functions = std::map<std::string_view, PFN_vkVoidFunction>;

template <class Function>
PFN_vkVoidFunction any(Function* function) noexcept {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

/// What a test has in the place of the driver's own, by name. It is asked for when a table of functions is filled.
inline Functions& replaced() {
  static Functions functions;
  return functions;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_of_instance(VkInstance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_of_device(VkDevice, const char* name);

/// The calls that do something.
inline const Functions& own() {
  static const Functions functions{
      {"vkGetInstanceProcAddr", any(&find_of_instance)},
      {"vkGetDeviceProcAddr", any(&find_of_device)},
      {"vkEnumerateInstanceVersion", any(&InstanceCalls::version)},
      {"vkCreateInstance", any(&InstanceCalls::create)},
      {"vkEnumeratePhysicalDevices", any(&InstanceCalls::devices)},
      {"vkGetPhysicalDeviceProperties", any(&InstanceCalls::properties)},
      {"vkGetPhysicalDeviceProperties2", any(&InstanceCalls::properties_2)},
      {"vkGetPhysicalDeviceFeatures2", any(&InstanceCalls::features)},
      {"vkGetPhysicalDeviceMemoryProperties2", any(&InstanceCalls::memory)},
      {"vkGetPhysicalDeviceQueueFamilyProperties", any(&InstanceCalls::families)},
      {"vkGetDeviceQueue", any(&DeviceCalls::queue)},
      {"vkAllocateCommandBuffers", any(&DeviceCalls::commands)},
      {"vkAllocateDescriptorSets", any(&DeviceCalls::sets)},
      {"vkCreateComputePipelines", any(&DeviceCalls::pipelines)},
      {"vkGetPipelineCacheData", any(&DeviceCalls::cache_data)},
      {"vkCreateSemaphore", any(&DeviceCalls::create_semaphore)},
      {"vkDestroySemaphore", any(&DeviceCalls::destroy_semaphore)},
      {"vkQueueSubmit", any(&DeviceCalls::submit)},
      {"vkGetSemaphoreCounterValue", any(&DeviceCalls::counter)},
      {"vkCreateBuffer", any(&DeviceCalls::create_buffer)},
      {"vkDestroyBuffer", any(&DeviceCalls::destroy_buffer)},
      {"vkGetBufferMemoryRequirements", any(&DeviceCalls::needs_of_buffer)},
      {"vkAllocateMemory", any(&DeviceCalls::allocate)},
      {"vkFreeMemory", any(&DeviceCalls::free_memory)},
      {"vkMapMemory", any(&DeviceCalls::map)},
  };
  return functions;
}

/// Null for a function of an extension that no test has: the driver has none.
inline PFN_vkVoidFunction find(std::string_view name) {
  for (const Functions* const functions : std::initializer_list<const Functions*>{&replaced(), &own()}) {
    if (const auto found = functions->find(name); found != functions->end()) return found->second;
  }
#define EMPTY_VULKAN_FUNCTION(called) \
  if (name == "vk" #called) return any(&Empty<PFN_vk##called>::call);
#define VULKAN_INSTANCE EMPTY_VULKAN_FUNCTION
#define VULKAN_DEVICE EMPTY_VULKAN_FUNCTION
#include "vendor/vulkan/symbols.inc"
#undef VULKAN_DEVICE
#undef VULKAN_INSTANCE
#undef EMPTY_VULKAN_FUNCTION
  return nullptr;
}

inline VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_of_instance(VkInstance, const char* name) { return find(name); }
inline VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL find_of_device(VkDevice, const char* name) { return find(name); }

}  // namespace pintle::test::empty_vulkan
