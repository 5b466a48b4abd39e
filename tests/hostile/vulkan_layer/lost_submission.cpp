// What the standard allows: a device is lost at any submission, whether that says so or its wait does.
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>

#include "habit.h"

namespace pintle::hostile {
namespace {

Functions next;
std::atomic<std::uint64_t> submitted{0};
std::mutex mutex;
auto& lost = *new std::set<VkDevice>;

bool is_lost(VkDevice device) {
  const std::lock_guard lock(mutex);
  return lost.contains(device);
}

/// HOSTILE_LOST is the number of the process's submission, from 1; HOSTILE_LOST_LATE has it taken.
bool is_refused(VkQueue queue) {
  const VkDevice device = device_of(queue);
  if (is_lost(device)) return true;
  const char* const at = std::getenv("HOSTILE_LOST");
  if (at == nullptr || ++submitted != std::strtoull(at, nullptr, 10)) return false;
  const std::lock_guard lock(mutex);
  lost.insert(device);
  return std::getenv("HOSTILE_LOST_LATE") == nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  return is_refused(queue) ? VK_ERROR_DEVICE_LOST : next.QueueSubmit(queue, count, infos, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL submit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
  return is_refused(queue) ? VK_ERROR_DEVICE_LOST : next.QueueSubmit2(queue, count, infos, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL wait_fences(VkDevice device, std::uint32_t count, const VkFence* fences, VkBool32 all,
                                           std::uint64_t timeout) {
  return is_lost(device) ? VK_ERROR_DEVICE_LOST : next.WaitForFences(device, count, fences, all, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice device, VkFence fence) {
  return is_lost(device) ? VK_ERROR_DEVICE_LOST : next.GetFenceStatus(device, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL wait(VkDevice device, const VkSemaphoreWaitInfo* info, std::uint64_t timeout) {
  return is_lost(device) ? VK_ERROR_DEVICE_LOST : next.WaitSemaphores(device, info, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL get_counter(VkDevice device, VkSemaphore semaphore, std::uint64_t* value) {
  return is_lost(device) ? VK_ERROR_DEVICE_LOST : next.GetSemaphoreCounterValue(device, semaphore, value);
}

VKAPI_ATTR VkResult VKAPI_CALL wait_device_idle(VkDevice device) {
  return is_lost(device) ? VK_ERROR_DEVICE_LOST : next.DeviceWaitIdle(device);
}

VKAPI_ATTR void VKAPI_CALL destroy(VkDevice device, const VkAllocationCallbacks* memory) {
  {
    const std::lock_guard lock(mutex);
    lost.erase(device);
  }
  next.DestroyDevice(device, memory);
}

}  // namespace

void install_lost_submission(Functions& table) {
  next = table;
  table.QueueSubmit = &submit;
  if (next.QueueSubmit2 != nullptr) table.QueueSubmit2 = &submit2;
  table.WaitForFences = &wait_fences;
  table.GetFenceStatus = &fence_status;
  table.WaitSemaphores = &wait;
  table.GetSemaphoreCounterValue = &get_counter;
  table.DeviceWaitIdle = &wait_device_idle;
  table.DestroyDevice = &destroy;
}

}  // namespace pintle::hostile
