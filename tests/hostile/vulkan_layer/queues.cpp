// Which device a queue is of: a call with a queue does not say it.
#include <map>
#include <mutex>

#include "habit.h"

namespace pintle::hostile {
namespace {

Functions next;
std::mutex mutex;
auto& devices = *new std::map<VkQueue, VkDevice>;

VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, std::uint32_t family, std::uint32_t index, VkQueue* queue) {
  next.GetDeviceQueue(device, family, index, queue);
  const std::lock_guard lock(mutex);
  devices[*queue] = device;
}

VKAPI_ATTR void VKAPI_CALL get_queue_2(VkDevice device, const VkDeviceQueueInfo2* info, VkQueue* queue) {
  next.GetDeviceQueue2(device, info, queue);
  const std::lock_guard lock(mutex);
  devices[*queue] = device;
}

VKAPI_ATTR void VKAPI_CALL destroy(VkDevice device, const VkAllocationCallbacks* memory) {
  {
    const std::lock_guard lock(mutex);
    std::erase_if(devices, [&](const auto& each) { return each.second == device; });
  }
  next.DestroyDevice(device, memory);
}

}  // namespace

VkDevice device_of(VkQueue queue) {
  const std::lock_guard lock(mutex);
  const auto found = devices.find(queue);
  return found == devices.end() ? nullptr : found->second;
}

void install_queues(Functions& table) {
  next = table;
  table.GetDeviceQueue = &get_queue;
  if (next.GetDeviceQueue2 != nullptr) table.GetDeviceQueue2 = &get_queue_2;
  table.DestroyDevice = &destroy;
}

}  // namespace pintle::hostile
