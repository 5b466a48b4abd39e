// Vulkan by hand, in a process under the hostile layer.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "hostile/vulkan_layer/questions.h"
#include "pintle/must.h"
#include "vendor/vulkan/instance.h"

namespace pintle::test {

using vendor::vulkan::DeviceFunctions;
using vendor::vulkan::Instance;
using vendor::vulkan::InstanceFunctions;

inline constexpr std::uint64_t long_time = 20'000'000'000;  // ns

inline const Instance& instance() {
  static const Instance& made = *must(Instance::create()).release();
  return made;
}
inline const InstanceFunctions& vk() { return instance().functions(); }
inline VkPhysicalDevice physical() { return must(instance().physical_devices()).at(0); }

inline VkPhysicalDeviceMemoryProperties memory_of(VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, nullptr, {}};
  vk().GetPhysicalDeviceMemoryProperties2(device, &all);
  return all.memoryProperties;
}

/// A device by hand with one queue. It is not destroyed: a dead one would keep its test for a minute.
class ByHand {
 public:
  ByHand() {
    constexpr float priority = 1;
    const VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
    VkPhysicalDeviceTimelineSemaphoreFeatures timelines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                        nullptr, VK_TRUE};
    constexpr std::array extensions{"VK_EXT_external_memory_host"};
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &timelines;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queues;
    info.enabledExtensionCount = extensions.size();
    info.ppEnabledExtensionNames = extensions.data();
    memory_of(physical());  // whose types are named below
    EXPECT_EQ(vk().CreateDevice(physical(), &info, nullptr, &device), VK_SUCCESS);
    must(functions.load(vk().GetDeviceProcAddr, device));
    functions.GetDeviceQueue(device, 0, 0, &queue_);
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    const VkSemaphoreCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
    EXPECT_EQ(functions.CreateSemaphore(device, &timeline, nullptr, &timeline_), VK_SUCCESS);
    const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, 0};
    EXPECT_EQ(functions.CreateCommandPool(device, &pool, nullptr, &pool_), VK_SUCCESS);
  }

  VkResult try_allocate(std::uint32_t type, void* host, VkDeviceMemory& memory, VkDeviceSize size = 1 << 16) {
    const VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                                  VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, host};
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, host == nullptr ? nullptr : &import, size,
                                    type};
    return functions.AllocateMemory(device, &info, nullptr, &memory);
  }
  VkDeviceMemory allocate(std::uint32_t type) {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    EXPECT_EQ(try_allocate(type, nullptr, memory), VK_SUCCESS);
    return memory;
  }
  std::byte* map(VkDeviceMemory memory) {
    void* data = nullptr;
    EXPECT_EQ(functions.MapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &data), VK_SUCCESS);
    return static_cast<std::byte*>(data);
  }
  VkBuffer buffer_in(VkDeviceMemory memory) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 1 << 12;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    VkBuffer made = VK_NULL_HANDLE;
    EXPECT_EQ(functions.CreateBuffer(device, &info, nullptr, &made), VK_SUCCESS);
    EXPECT_EQ(functions.BindBufferMemory(device, made, memory, 0), VK_SUCCESS);
    return made;
  }
  /// A fill with the word, then a rise of the timeline by one.
  VkResult submit_fill(std::uint32_t word) { return submit_fill(word, buffer_in(allocate(1))); }
  VkResult submit_fill(std::uint32_t word, VkBuffer target) {
    return submit([&](VkCommandBuffer commands) { functions.CmdFillBuffer(commands, target, 0, 1 << 12, word); });
  }
  VkResult submit_copy(VkBuffer from, VkBuffer to) {
    constexpr VkBufferCopy whole{0, 0, 1 << 12};
    return submit([&](VkCommandBuffer commands) { functions.CmdCopyBuffer(commands, from, to, 1, &whole); });
  }
  VkResult submit_fill(hostile::Fault fault) { return submit_fill(static_cast<std::uint32_t>(fault)); }
  template <class Record>
  VkResult submit(Record record) {
    const VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                          VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer commands = nullptr;
    EXPECT_EQ(functions.AllocateCommandBuffers(device, &one, &commands), VK_SUCCESS);
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    EXPECT_EQ(functions.BeginCommandBuffer(commands, &begin), VK_SUCCESS);
    record(commands);
    EXPECT_EQ(functions.EndCommandBuffer(commands), VK_SUCCESS);
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    ++submitted_;
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &submitted_;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &values;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &timeline_;
    return functions.QueueSubmit(queue_, 1, &info, VK_NULL_HANDLE);
  }
  /// For all that was submitted.
  VkResult wait(std::uint64_t nanoseconds) {
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline_;
    info.pValues = &submitted_;
    return functions.WaitSemaphores(device, &info, nanoseconds);
  }

  VkDevice device = nullptr;
  DeviceFunctions functions;

 private:
  VkQueue queue_ = nullptr;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::uint64_t submitted_ = 0;
};

}  // namespace pintle::test
