#include "validation/batches.h"

#include <utility>

#include "base/dylib.h"
#include "vendor/vulkan/functions.h"
#include "vendor/vulkan/result.h"

namespace pintle::test {
namespace {

using vulkan::VulkanDevice;
using vulkan::VulkanMemory;

Result<void> check(VkResult answer, const char* call) {
  if (answer == VK_SUCCESS) return {};
  return vendor::vulkan::error_of(answer, call);
}

VkBuffer buffer_of(const VulkanMemory& memory) { return reinterpret_cast<VkBuffer>(memory.buffer); }

class Batches {
 public:
  [[nodiscard]] static Result<Batches> on(const VulkanDevice& device) {
    PINTLE_ASSIGN(loader, base::Dylib::open("libvulkan.so.1"));
    Batches batches(device, std::move(loader));
    PINTLE_ASSIGN(entry,
                  batches.loader_.function<std::remove_pointer_t<PFN_vkGetDeviceProcAddr>>("vkGetDeviceProcAddr"));
    PINTLE_TRY(batches.vk_.load(entry, batches.device_));
    const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, device.queue_family};
    PINTLE_TRY(
        check(batches.vk_.CreateCommandPool(batches.device_, &info, nullptr, &batches.pool_), "vkCreateCommandPool"));
    return batches;
  }

  [[nodiscard]] Result<void> copy(const VulkanMemory& to, const VulkanMemory& from, Barrier barrier) {
    VkCommandBuffer commands = VK_NULL_HANDLE;
    const VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool_,
                                          VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    PINTLE_TRY(check(vk_.AllocateCommandBuffers(device_, &one, &commands), "vkAllocateCommandBuffers"));
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    PINTLE_TRY(check(vk_.BeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer"));
    if (barrier == Barrier::kept) wait_for_copies(commands);
    const VkBufferCopy region{from.offset, to.offset, from.size};
    vk_.CmdCopyBuffer(commands, buffer_of(from), buffer_of(to), 1, &region);
    PINTLE_TRY(check(vk_.EndCommandBuffer(commands), "vkEndCommandBuffer"));
    VkSubmitInfo batch{};
    batch.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    batch.commandBufferCount = 1;
    batch.pCommandBuffers = &commands;
    return check(vk_.QueueSubmit(queue_, 1, &batch, VK_NULL_HANDLE), "vkQueueSubmit");
  }

  [[nodiscard]] Result<void> finish() {
    PINTLE_TRY(check(vk_.QueueWaitIdle(queue_), "vkQueueWaitIdle"));
    vk_.DestroyCommandPool(device_, pool_, nullptr);
    return {};
  }

 private:
  Batches(const VulkanDevice& device, base::Dylib loader)
      : loader_(std::move(loader)),
        device_(static_cast<VkDevice>(device.device)),
        queue_(static_cast<VkQueue>(device.queue)) {}

  void wait_for_copies(VkCommandBuffer commands) {
    const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                 VK_ACCESS_TRANSFER_READ_BIT};
    vk_.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &memory, 0,
                           nullptr, 0, nullptr);
  }

  base::Dylib loader_;
  VkDevice device_;
  VkQueue queue_;
  vendor::vulkan::DeviceFunctions vk_;
  VkCommandPool pool_ = VK_NULL_HANDLE;
};

}  // namespace

Result<void> copy_in_batches(const VulkanDevice& device, const std::array<VulkanMemory, 3>& chain, Barrier barrier) {
  PINTLE_ASSIGN(batches, Batches::on(device));
  PINTLE_TRY(batches.copy(chain[1], chain[0], barrier));
  PINTLE_TRY(batches.copy(chain[2], chain[1], barrier));
  return batches.finish();
}

}  // namespace pintle::test
