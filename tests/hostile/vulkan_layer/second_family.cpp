// A card's habit: a second family of queues, which only copies. Its queue and the driver's share one queue of the
// driver's, without order among them: section "Implicit Synchronization Guarantees" has order in one queue alone.
#include "second_family.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "habit.h"
#include "held_queue.h"
#include "questions.h"

namespace pintle::hostile {
namespace {

/// Loaders write their own into the first word of a queue.
struct Handle {
  const void* of_the_loader = nullptr;
};

struct Carried {
  Split split;
  std::unique_ptr<Handle> own = std::make_unique<Handle>();
  std::shared_ptr<std::mutex> sending = std::make_shared<std::mutex>();
};

Functions next;
std::mutex mutex;
auto& devices = *new std::map<VkDevice, Carried>;                   // queues may work while the process ends
auto& queues = *new std::map<VkQueue, std::shared_ptr<HeldQueue>>;  // of those devices

std::shared_ptr<HeldQueue> held(VkQueue queue) {
  const std::lock_guard lock(mutex);
  const auto found = queues.find(queue);
  return found == queues.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<HeldQueue>> held_of(VkDevice device) {
  const std::lock_guard lock(mutex);
  std::vector<std::shared_ptr<HeldQueue>> all;
  for (const auto& [handle, queue] : queues) {
    if (queue->place().device == device) all.push_back(queue);
  }
  return all;
}

VkQueueFamilyProperties beside(const VkQueueFamilyProperties& first) {
  return {VK_QUEUE_TRANSFER_BIT, 1, first.timestampValidBits, least_part};
}

/// How many the driver has. SwiftShader fills as many as there is room for.
std::uint32_t count_of(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  next.GetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  return count;
}

VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice device, std::uint32_t* count,
                                        VkQueueFamilyProperties* families) {
  const std::uint32_t room = *count;
  *count = std::min(room, count_of(device));
  next.GetPhysicalDeviceQueueFamilyProperties(device, count, families);
  if (families == nullptr) ++*count;
  else if (*count < room) families[(*count)++] = beside(families[0]);
}

VKAPI_ATTR void VKAPI_CALL get_families_2(VkPhysicalDevice device, std::uint32_t* count,
                                          VkQueueFamilyProperties2* families) {
  const std::uint32_t room = *count;
  *count = std::min(room, count_of(device));
  next.GetPhysicalDeviceQueueFamilyProperties2(device, count, families);
  if (families == nullptr) ++*count;
  else if (*count < room) families[(*count)++].queueFamilyProperties = beside(families[0].queueFamilyProperties);
}

/// The driver makes the device without the family, with at least one queue.
VKAPI_ATTR VkResult VKAPI_CALL create(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                      const VkAllocationCallbacks* memory, VkDevice* made) {
  std::uint32_t family = 0;
  next.GetPhysicalDeviceQueueFamilyProperties(physical, &family, nullptr);
  std::vector<VkDeviceQueueCreateInfo> wanted(info->pQueueCreateInfos,
                                              info->pQueueCreateInfos + info->queueCreateInfoCount);
  if (std::erase_if(wanted, [&](const auto& each) { return each.queueFamilyIndex == family; }) == 0)
    return next.CreateDevice(physical, info, memory, made);
  static constexpr float priority = 1;
  if (wanted.empty()) wanted.push_back({VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority});
  VkDeviceCreateInfo own = *info;
  own.queueCreateInfoCount = static_cast<std::uint32_t>(wanted.size());
  own.pQueueCreateInfos = wanted.data();
  const VkResult answer = next.CreateDevice(physical, &own, memory, made);
  const std::lock_guard lock(mutex);
  if (answer == VK_SUCCESS) devices[*made].split = {family, wanted.front().queueFamilyIndex};
  return answer;
}

VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, std::uint32_t family, std::uint32_t index, VkQueue* queue) {
  const std::lock_guard lock(mutex);
  const auto found = devices.find(device);
  if (found == devices.end()) return next.GetDeviceQueue(device, family, index, queue);
  const Carried& carried = found->second;
  const bool is_own = family == carried.split.family;
  VkQueue carrier = nullptr;
  next.GetDeviceQueue(device, is_own ? carried.split.carrier : family, index, &carrier);
  *queue = is_own ? reinterpret_cast<VkQueue>(carried.own.get()) : carrier;
  std::shared_ptr<HeldQueue>& known = queues[*queue];
  if (known == nullptr)
    known = std::make_shared<HeldQueue>(next, HeldQueue::Place{device, carrier, family, is_own, carried.sending});
}

VKAPI_ATTR void VKAPI_CALL get_queue_2(VkDevice device, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  if (split_of(device)) get_queue(device, info->queueFamilyIndex, info->queueIndex, queue);
  else next.GetDeviceQueue2(device, info, queue);
}

/// Null where the batch has no values. Whatever else a chain says is not carried out here.
const VkTimelineSemaphoreSubmitInfo* values_in(const void* chain) {
  const auto* const first = static_cast<const VkBaseInStructure*>(chain);
  if (first == nullptr) return nullptr;
  if (first->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO || first->pNext != nullptr)
    end_process("vkQueueSubmit has a chain that a device with a second family does not carry out");
  return reinterpret_cast<const VkTimelineSemaphoreSubmitInfo*>(first);
}

Batch batch_of(const VkSubmitInfo& info, bool only_copies) {
  const auto* const values = values_in(info.pNext);
  const std::uint32_t awaited = values == nullptr ? 0 : values->waitSemaphoreValueCount;
  const std::uint32_t signalled = values == nullptr ? 0 : values->signalSemaphoreValueCount;
  if (awaited < info.waitSemaphoreCount)
    end_process("vkQueueSubmit waits for a semaphore without a value, which a device with a second family does not");
  Batch batch;
  for (std::uint32_t i = 0; i < info.waitSemaphoreCount; ++i) {
    if (only_copies) check_stages(info.pWaitDstStageMask[i], "vkQueueSubmit");
    batch.awaited.add(info.pWaitSemaphores[i], values->pWaitSemaphoreValues[i]);
  }
  for (std::uint32_t i = 0; i < info.signalSemaphoreCount; ++i)
    batch.signalled.add(info.pSignalSemaphores[i], i < signalled ? values->pSignalSemaphoreValues[i] : 0);
  batch.commands.assign(info.pCommandBuffers, info.pCommandBuffers + info.commandBufferCount);
  return batch;
}

Batch batch_of(const VkSubmitInfo2& info, bool only_copies) {
  Batch batch;
  for (const VkSemaphoreSubmitInfo& point : std::span(info.pWaitSemaphoreInfos, info.waitSemaphoreInfoCount)) {
    if (only_copies) check_stages(point.stageMask, "vkQueueSubmit2");
    batch.awaited.add(point.semaphore, point.value);
  }
  for (const VkSemaphoreSubmitInfo& point : std::span(info.pSignalSemaphoreInfos, info.signalSemaphoreInfoCount))
    batch.signalled.add(point.semaphore, point.value);
  for (const VkCommandBufferSubmitInfo& one : std::span(info.pCommandBufferInfos, info.commandBufferInfoCount))
    batch.commands.push_back(one.commandBuffer);
  return batch;
}

/// The fence stands for all that was taken before it.
template <class Info>
VkResult take(HeldQueue& queue, std::span<const Info> infos, VkFence fence) {
  for (const Info& info : infos) {
    Batch batch = batch_of(info, queue.place().only_copies);
    check_commands(queue.place().family, batch.commands);
    queue.take(std::move(batch));
  }
  if (fence == VK_NULL_HANDLE) return VK_SUCCESS;
  Batch last;
  last.fence = fence;
  queue.take(std::move(last));
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  const auto own = held(queue);
  return own == nullptr ? next.QueueSubmit(queue, count, infos, fence) : take(*own, std::span(infos, count), fence);
}

VKAPI_ATTR VkResult VKAPI_CALL submit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
  const auto own = held(queue);
  return own == nullptr ? next.QueueSubmit2(queue, count, infos, fence) : take(*own, std::span(infos, count), fence);
}

VKAPI_ATTR VkResult VKAPI_CALL wait_queue_idle(VkQueue queue) {
  const auto own = held(queue);
  return own == nullptr ? next.QueueWaitIdle(queue) : own->wait_idle();
}

VKAPI_ATTR VkResult VKAPI_CALL wait_device_idle(VkDevice device) {
  const auto all = held_of(device);
  for (const auto& queue : all) {
    if (const VkResult answer = queue->wait_idle(); answer != VK_SUCCESS) return answer;
  }
  if (all.empty()) return next.DeviceWaitIdle(device);
  const std::lock_guard lock(*all.front()->place().sending);
  return next.DeviceWaitIdle(device);
}

VKAPI_ATTR void VKAPI_CALL destroy(VkDevice device, const VkAllocationCallbacks* memory) {
  auto gone = held_of(device);
  {
    const std::lock_guard lock(mutex);
    std::erase_if(queues, [&](const auto& each) { return each.second->place().device == device; });
  }
  gone.clear();  // their threads end
  {
    const std::lock_guard lock(mutex);
    devices.erase(device);
  }
  next.DestroyDevice(device, memory);
}

}  // namespace

std::optional<Split> split_of(VkDevice device) {
  const std::lock_guard lock(mutex);
  const auto found = devices.find(device);
  return found == devices.end() ? std::nullopt : std::optional(found->second.split);
}

void install_second_family(Functions& table) {
  next = table;
  table.GetPhysicalDeviceQueueFamilyProperties = &get_families;
  table.GetPhysicalDeviceQueueFamilyProperties2 = &get_families_2;
  table.CreateDevice = &create;
  table.DestroyDevice = &destroy;
  table.GetDeviceQueue = &get_queue;
  if (next.GetDeviceQueue2 != nullptr) table.GetDeviceQueue2 = &get_queue_2;
  table.QueueSubmit = &submit;
  if (next.QueueSubmit2 != nullptr) table.QueueSubmit2 = &submit2;
  table.QueueWaitIdle = &wait_queue_idle;
  table.DeviceWaitIdle = &wait_device_idle;
  install_family_rules(table);
}

}  // namespace pintle::hostile

void hostile_hold_second_family(bool are_to_be_held) {
  using namespace pintle::hostile;
  const std::lock_guard lock(mutex);
  for (const auto& [handle, queue] : queues) {
    if (queue->place().only_copies) queue->hold(are_to_be_held);
  }
}
