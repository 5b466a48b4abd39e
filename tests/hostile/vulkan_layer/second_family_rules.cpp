// What a family that only copies does not do, by the standard ("Supported Queue Types", "Supported pipeline stage
// flags"). Only devices with a queue of the layer's are looked at.
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "common/habits.h"
#include "questions.h"
#include "second_family.h"

namespace pintle::hostile {
namespace {

/// What is known of a command pool, and of what was allocated from it.
struct Recording {
  VkCommandPool pool = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  bool only_copies = false;
};

Functions next;
std::mutex mutex;
auto& pools = *new std::map<VkCommandPool, Recording>;
auto& recordings = *new std::map<VkCommandBuffer, Recording>;
auto& writers = *new std::map<const void*, std::optional<std::uint32_t>>;  // of what families do not share
auto& extents = *new std::map<VkImage, VkExtent3D>;
std::uint64_t copies = 0;  // of the family

std::optional<Recording> recording_of(VkCommandBuffer commands) {
  const std::lock_guard lock(mutex);
  const auto found = recordings.find(commands);
  return found == recordings.end() ? std::nullopt : std::optional(found->second);
}

bool only_copies(VkCommandBuffer commands) {
  const auto recording = recording_of(commands);
  return recording && recording->only_copies;
}

/// A function that ends the process where it is recorded for the family.
template <auto Entry>
struct Refused;
template <class... Arguments, void (VKAPI_PTR* Functions::*Entry)(VkCommandBuffer, Arguments...)>
struct Refused<Entry> {
  static inline const char* name = "";
  static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer commands, Arguments... arguments) {
    if (only_copies(commands)) end_process(std::string(name) + " is recorded for a family that only copies");
    (next.*Entry)(commands, arguments...);
  }
};

template <auto Entry>
void refuse(Functions& table, const char* name) {
  if (table.*Entry == nullptr) return;
  Refused<Entry>::name = name;
  table.*Entry = &Refused<Entry>::call;
}

VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice device, const VkCommandPoolCreateInfo* info,
                                           const VkAllocationCallbacks* memory, VkCommandPool* made) {
  const auto split = split_of(device);
  if (!split) return next.CreateCommandPool(device, info, memory, made);
  const bool is_own = info->queueFamilyIndex == split->family;
  VkCommandPoolCreateInfo own = *info;
  if (is_own) own.queueFamilyIndex = split->carrier;
  const VkResult answer = next.CreateCommandPool(device, &own, memory, made);
  const std::lock_guard lock(mutex);
  if (answer == VK_SUCCESS) pools[*made] = {*made, info->queueFamilyIndex, is_own};
  return answer;
}

VKAPI_ATTR void VKAPI_CALL destroy_pool(VkDevice device, VkCommandPool pool, const VkAllocationCallbacks* memory) {
  {
    const std::lock_guard lock(mutex);
    pools.erase(pool);
    std::erase_if(recordings, [&](const auto& each) { return each.second.pool == pool; });
  }
  next.DestroyCommandPool(device, pool, memory);
}

VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                        VkCommandBuffer* made) {
  const VkResult answer = next.AllocateCommandBuffers(device, info, made);
  const std::lock_guard lock(mutex);
  const auto pool = pools.find(info->commandPool);
  if (answer != VK_SUCCESS || pool == pools.end()) return answer;
  for (const VkCommandBuffer commands : std::span(made, info->commandBufferCount)) recordings[commands] = pool->second;
  return answer;
}

VKAPI_ATTR void VKAPI_CALL free_commands(VkDevice device, VkCommandPool pool, std::uint32_t count,
                                         const VkCommandBuffer* gone) {
  {
    const std::lock_guard lock(mutex);
    for (const VkCommandBuffer commands : std::span(gone, count)) recordings.erase(commands);
  }
  next.FreeCommandBuffers(device, pool, count, gone);
}

/// The driver has one family for both, and nothing to share.
template <class Info>
Info unshared(const Info& info) {
  Info own = info;
  own.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  own.queueFamilyIndexCount = 0;
  own.pQueueFamilyIndices = nullptr;
  return own;
}

VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo* info,
                                             const VkAllocationCallbacks* memory, VkBuffer* made) {
  if (!split_of(device)) return next.CreateBuffer(device, info, memory, made);
  const VkBufferCreateInfo own = unshared(*info);
  const VkResult answer = next.CreateBuffer(device, &own, memory, made);
  const std::lock_guard lock(mutex);
  if (answer == VK_SUCCESS && info->sharingMode == VK_SHARING_MODE_EXCLUSIVE) writers[*made] = std::nullopt;
  return answer;
}

VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks* memory) {
  {
    const std::lock_guard lock(mutex);
    writers.erase(buffer);
  }
  next.DestroyBuffer(device, buffer, memory);
}

VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo* info,
                                            const VkAllocationCallbacks* memory, VkImage* made) {
  if (!split_of(device)) return next.CreateImage(device, info, memory, made);
  const VkImageCreateInfo own = unshared(*info);
  const VkResult answer = next.CreateImage(device, &own, memory, made);
  const std::lock_guard lock(mutex);
  if (answer != VK_SUCCESS) return answer;
  extents[*made] = info->extent;
  if (info->sharingMode == VK_SHARING_MODE_EXCLUSIVE) writers[*made] = std::nullopt;
  return answer;
}

VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice device, VkImage image, const VkAllocationCallbacks* memory) {
  {
    const std::lock_guard lock(mutex);
    writers.erase(image);
    extents.erase(image);
  }
  next.DestroyImage(device, image, memory);
}

/// Where a family writes what the other has, the bytes beside are lost, and the standard does not mind.
void write(VkCommandBuffer commands, const void* resource) {
  const auto recording = recording_of(commands);
  const std::lock_guard lock(mutex);
  if (const auto found = writers.find(resource); recording && found != writers.end()) found->second = recording->family;
}

void read(VkCommandBuffer commands, const void* resource, const char* call) {
  const auto recording = recording_of(commands);
  const std::lock_guard lock(mutex);
  const auto found = writers.find(resource);
  if (!recording || found == writers.end() || !found->second || *found->second == recording->family) return;
  end_process(std::string(call) + " reads what another family has written, and the two do not share it");
}

/// An ownership transfer: from then on the layer does not know whose it is.
void hand_over(const void* resource) {
  const std::lock_guard lock(mutex);
  writers.erase(resource);
}

/// The barriers without families, since the driver has one for both.
template <class Barrier, class Resource>
std::vector<Barrier> in_one_family(std::span<const Barrier> barriers, Resource Barrier::* resource) {
  std::vector<Barrier> own(barriers.begin(), barriers.end());
  for (Barrier& barrier : own) {
    if (barrier.srcQueueFamilyIndex != barrier.dstQueueFamilyIndex) hand_over(barrier.*resource);
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  }
  return own;
}

VKAPI_ATTR void VKAPI_CALL barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                                   VkDependencyFlags flags, std::uint32_t memory_count, const VkMemoryBarrier* memory,
                                   std::uint32_t buffer_count, const VkBufferMemoryBarrier* buffers,
                                   std::uint32_t image_count, const VkImageMemoryBarrier* images) {
  const auto recording = recording_of(commands);
  if (!recording)
    return next.CmdPipelineBarrier(commands, from, to, flags, memory_count, memory, buffer_count, buffers, image_count,
                                   images);
  if (recording->only_copies) check_stages(from | to, "vkCmdPipelineBarrier");
  const auto own_buffers = in_one_family(std::span(buffers, buffer_count), &VkBufferMemoryBarrier::buffer);
  const auto own_images = in_one_family(std::span(images, image_count), &VkImageMemoryBarrier::image);
  next.CmdPipelineBarrier(commands, from, to, flags, memory_count, memory, buffer_count, own_buffers.data(),
                          image_count, own_images.data());
}

template <class Barrier>
void check_each(std::span<const Barrier> barriers) {
  for (const Barrier& one : barriers) check_stages(one.srcStageMask | one.dstStageMask, "vkCmdPipelineBarrier2");
}

VKAPI_ATTR void VKAPI_CALL barrier_2(VkCommandBuffer commands, const VkDependencyInfo* info) {
  const auto recording = recording_of(commands);
  if (!recording) return next.CmdPipelineBarrier2(commands, info);
  const std::span memory(info->pMemoryBarriers, info->memoryBarrierCount);
  const std::span buffers(info->pBufferMemoryBarriers, info->bufferMemoryBarrierCount);
  const std::span images(info->pImageMemoryBarriers, info->imageMemoryBarrierCount);
  if (recording->only_copies) {
    check_each(memory);
    check_each(buffers);
    check_each(images);
  }
  const auto own_buffers = in_one_family(buffers, &VkBufferMemoryBarrier2::buffer);
  const auto own_images = in_one_family(images, &VkImageMemoryBarrier2::image);
  VkDependencyInfo own = *info;
  own.pBufferMemoryBarriers = own_buffers.data();
  own.pImageMemoryBarriers = own_images.data();
  next.CmdPipelineBarrier2(commands, &own);
}

VKAPI_ATTR void VKAPI_CALL timestamp(VkCommandBuffer commands, VkPipelineStageFlagBits stage, VkQueryPool pool,
                                     std::uint32_t query) {
  if (only_copies(commands)) check_stages(static_cast<VkPipelineStageFlags>(stage), "vkCmdWriteTimestamp");
  next.CmdWriteTimestamp(commands, stage, pool, query);
}

VKAPI_ATTR void VKAPI_CALL copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, std::uint32_t count,
                                const VkBufferCopy* regions) {
  read(commands, from, "vkCmdCopyBuffer");
  write(commands, to);
  if (only_copies(commands)) {
    const std::lock_guard lock(mutex);
    ++copies;
  }
  next.CmdCopyBuffer(commands, from, to, count, regions);
}

VKAPI_ATTR void VKAPI_CALL fill(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                                std::uint32_t word) {
  write(commands, buffer);
  next.CmdFillBuffer(commands, buffer, offset, size, word);
}

VKAPI_ATTR void VKAPI_CALL update(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                                  const void* data) {
  write(commands, buffer);
  next.CmdUpdateBuffer(commands, buffer, offset, size, data);
}

bool fits(std::int32_t first, std::uint32_t count, std::uint32_t side, std::uint32_t step) {
  const auto begin = static_cast<std::uint32_t>(first);
  return begin % step == 0 && (count % step == 0 || begin + count == side);
}

void check_regions(VkCommandBuffer commands, VkImage image, std::span<const VkBufferImageCopy> regions,
                   const std::string& call) {
  if (!only_copies(commands)) return;
  const std::lock_guard lock(mutex);
  const VkExtent3D whole = extents[image];
  for (const auto& [buffer_offset, row, height, layers, offset, extent] : regions) {
    if (buffer_offset % 4 != 0)
      end_process(call + " begins at no multiple of four bytes, for a family that only copies");
    if (!fits(offset.x, extent.width, whole.width, least_part.width) ||
        !fits(offset.y, extent.height, whole.height, least_part.height) ||
        !fits(offset.z, extent.depth, whole.depth, least_part.depth))
      end_process(call + " copies a part that is no multiple of minImageTransferGranularity");
  }
}

VKAPI_ATTR void VKAPI_CALL copy_to_image(VkCommandBuffer commands, VkBuffer from, VkImage to, VkImageLayout layout,
                                         std::uint32_t count, const VkBufferImageCopy* regions) {
  check_regions(commands, to, std::span(regions, count), "vkCmdCopyBufferToImage");
  read(commands, from, "vkCmdCopyBufferToImage");
  write(commands, to);
  next.CmdCopyBufferToImage(commands, from, to, layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL copy_from_image(VkCommandBuffer commands, VkImage from, VkImageLayout layout, VkBuffer to,
                                           std::uint32_t count, const VkBufferImageCopy* regions) {
  check_regions(commands, from, std::span(regions, count), "vkCmdCopyImageToBuffer");
  read(commands, from, "vkCmdCopyImageToBuffer");
  write(commands, to);
  next.CmdCopyImageToBuffer(commands, from, layout, to, count, regions);
}

VKAPI_ATTR void VKAPI_CALL execute(VkCommandBuffer commands, std::uint32_t count, const VkCommandBuffer* executed) {
  const auto recording = recording_of(commands);
  for (const VkCommandBuffer one : std::span(executed, count)) {
    const auto other = recording_of(one);
    if (recording && other && recording->family != other->family)
      end_process("vkCmdExecuteCommands runs commands of another family");
  }
  next.CmdExecuteCommands(commands, count, executed);
}

}  // namespace

void check_commands(std::uint32_t family, std::span<const VkCommandBuffer> commands) {
  for (const VkCommandBuffer one : commands) {
    const auto recording = recording_of(one);
    if (recording && recording->family != family) end_process("a queue gets commands of another family");
  }
}

void check_stages(VkPipelineStageFlags2 stages, const char* call) {
  constexpr VkPipelineStageFlags2 known = VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT |
                                          VK_PIPELINE_STAGE_2_HOST_BIT | VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT |
                                          VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_COPY_BIT |
                                          VK_PIPELINE_STAGE_2_CLEAR_BIT;
  if ((stages & ~known) != 0) end_process(std::string(call) + " names a stage that a family that only copies lacks");
}

void install_family_rules(Functions& table) {
  next = table;
  table.CreateCommandPool = &create_pool;
  table.DestroyCommandPool = &destroy_pool;
  table.AllocateCommandBuffers = &allocate;
  table.FreeCommandBuffers = &free_commands;
  table.CreateBuffer = &create_buffer;
  table.DestroyBuffer = &destroy_buffer;
  table.CreateImage = &create_image;
  table.DestroyImage = &destroy_image;
  table.CmdPipelineBarrier = &barrier;
  if (next.CmdPipelineBarrier2 != nullptr) table.CmdPipelineBarrier2 = &barrier_2;
  table.CmdWriteTimestamp = &timestamp;
  table.CmdCopyBuffer = &copy;
  table.CmdFillBuffer = &fill;
  table.CmdUpdateBuffer = &update;
  table.CmdCopyBufferToImage = &copy_to_image;
  table.CmdCopyImageToBuffer = &copy_from_image;
  table.CmdExecuteCommands = &execute;
#define HOSTILE_REFUSE(name) refuse<&Functions::name>(table, "vk" #name)
  HOSTILE_REFUSE(CmdBindDescriptorSets);
  HOSTILE_REFUSE(CmdBindPipeline);
  HOSTILE_REFUSE(CmdBlitImage);
  HOSTILE_REFUSE(CmdClearColorImage);
  HOSTILE_REFUSE(CmdCopyQueryPoolResults);
  HOSTILE_REFUSE(CmdDispatch);
  HOSTILE_REFUSE(CmdDispatchIndirect);
  HOSTILE_REFUSE(CmdPushConstants);
  HOSTILE_REFUSE(CmdResetQueryPool);
#undef HOSTILE_REFUSE
}

}  // namespace pintle::hostile

std::uint64_t hostile_count_second_family() {
  const std::lock_guard lock(pintle::hostile::mutex);
  return pintle::hostile::copies;
}
