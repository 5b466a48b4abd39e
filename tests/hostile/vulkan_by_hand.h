// Vulkan by hand, in a process under the hostile layer.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

inline VkSemaphore create_timeline(const DeviceFunctions& functions, VkDevice device) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore made = VK_NULL_HANDLE;
  EXPECT_EQ(functions.CreateSemaphore(device, &info, nullptr, &made), VK_SUCCESS);
  return made;
}

/// A queue with a pool of its family, and a timeline that each submission raises by one.
class QueueByHand {
 public:
  QueueByHand(const DeviceFunctions& functions, VkDevice device, std::uint32_t family)
      : functions_(functions), device_(device), timeline_(create_timeline(functions, device)) {
    functions_.GetDeviceQueue(device, family, 0, &queue_);
    const VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, family};
    EXPECT_EQ(functions_.CreateCommandPool(device, &pool, nullptr, &pool_), VK_SUCCESS);
  }

  template <class Record>
  VkCommandBuffer record(Record record) {
    const VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                          VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer commands = nullptr;
    EXPECT_EQ(functions_.AllocateCommandBuffers(device_, &one, &commands), VK_SUCCESS);
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    EXPECT_EQ(functions_.BeginCommandBuffer(commands, &begin), VK_SUCCESS);
    record(commands);
    EXPECT_EQ(functions_.EndCommandBuffer(commands), VK_SUCCESS);
    return commands;
  }
  /// With `after`, it starts when the timeline there has the value.
  VkResult submit(VkCommandBuffer commands, VkSemaphore after = VK_NULL_HANDLE, std::uint64_t value = 0) {
    constexpr VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
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
    if (after != VK_NULL_HANDLE) {
      values.waitSemaphoreValueCount = info.waitSemaphoreCount = 1;
      values.pWaitSemaphoreValues = &value;
      info.pWaitSemaphores = &after;
      info.pWaitDstStageMask = &stages;
    }
    return functions_.QueueSubmit(queue_, 1, &info, VK_NULL_HANDLE);
  }
  /// For all that was submitted.
  VkResult wait(std::uint64_t nanoseconds) {
    VkSemaphoreWaitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
    info.semaphoreCount = 1;
    info.pSemaphores = &timeline_;
    info.pValues = &submitted_;
    return functions_.WaitSemaphores(device_, &info, nanoseconds);
  }
  std::uint64_t reached() {
    std::uint64_t value = 0;
    EXPECT_EQ(functions_.GetSemaphoreCounterValue(device_, timeline_, &value), VK_SUCCESS);
    return value;
  }

  [[nodiscard]] VkQueue queue() const { return queue_; }
  [[nodiscard]] VkSemaphore timeline() const { return timeline_; }

 private:
  const DeviceFunctions& functions_;
  const VkDevice device_;
  const VkSemaphore timeline_;
  VkQueue queue_ = nullptr;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  std::uint64_t submitted_ = 0;
};

/// A device by hand with a queue of each of the first families. It is not destroyed: a dead one would keep its test for
/// a minute. Its own work is on the first queue.
class ByHand {
 public:
  explicit ByHand(std::uint32_t families = 1) {
    constexpr float priority = 1;
    std::vector<VkDeviceQueueCreateInfo> queues;
    for (std::uint32_t family = 0; family < families; ++family)
      queues.push_back({VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &priority});
    VkPhysicalDeviceSynchronization2Features submissions{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES,
                                                         nullptr, VK_TRUE};
    VkPhysicalDeviceTimelineSemaphoreFeatures timelines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                        &submissions, VK_TRUE};
    constexpr std::array extensions{"VK_EXT_external_memory_host"};
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &timelines;
    info.queueCreateInfoCount = families;
    info.pQueueCreateInfos = queues.data();
    info.enabledExtensionCount = extensions.size();
    info.ppEnabledExtensionNames = extensions.data();
    memory_of(physical());  // whose types are named below
    EXPECT_EQ(vk().CreateDevice(physical(), &info, nullptr, &device), VK_SUCCESS);
    must(functions.load(vk().GetDeviceProcAddr, device));
    first_.emplace(functions, device, 0);
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
  VkBuffer buffer_in(VkDeviceMemory memory, VkSharingMode sharing = VK_SHARING_MODE_EXCLUSIVE) {
    constexpr std::array<std::uint32_t, 2> both{0, 1};
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = 1 << 12;
    info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
    info.sharingMode = sharing;
    if (sharing == VK_SHARING_MODE_CONCURRENT) {
      info.queueFamilyIndexCount = both.size();
      info.pQueueFamilyIndices = both.data();
    }
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
    return first_->submit(first_->record(record));
  }
  /// For all that was submitted.
  VkResult wait(std::uint64_t nanoseconds) { return first_->wait(nanoseconds); }
  /// A function that Pintle does not use.
  template <class Function>
  [[nodiscard]] Function function(const char* name) const {
    const auto found = reinterpret_cast<Function>(vk().GetDeviceProcAddr(device, name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }

  VkDevice device = nullptr;
  DeviceFunctions functions;

 private:
  std::optional<QueueByHand> first_;
};

}  // namespace pintle::test
