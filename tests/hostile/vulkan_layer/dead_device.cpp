// A driver's habit: after a fault the device answers nothing more, and says so or not (`Fault`).
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "habit.h"
#include "questions.h"

namespace pintle::hostile {
namespace {

Functions next;
std::mutex mutex;
auto& faults = *new std::map<VkCommandBuffer, Fault>;  // in what has been recorded
auto& dead = *new std::map<VkDevice, Fault>;
bool is_poisoned = false;

std::optional<Fault> fault_of(std::uint32_t word) {
  for (const Fault fault : {Fault::silent, Fault::endless, Fault::lost, Fault::poisoned}) {
    if (word == static_cast<std::uint32_t>(fault)) return fault;
  }
  return std::nullopt;
}

std::optional<Fault> death_of(VkDevice device) {
  const std::lock_guard lock(mutex);
  if (is_poisoned) return Fault::poisoned;
  const auto found = dead.find(device);
  return found == dead.end() ? std::nullopt : std::optional(found->second);
}

/// A call that waits for a device that answers nothing: the driver was seen not to return within 40 s.
void hang() { std::this_thread::sleep_for(std::chrono::seconds(60)); }

VKAPI_ATTR VkResult VKAPI_CALL begin(VkCommandBuffer commands, const VkCommandBufferBeginInfo* info) {
  {
    const std::lock_guard lock(mutex);
    faults.erase(commands);
  }
  return next.BeginCommandBuffer(commands, info);
}

VKAPI_ATTR void VKAPI_CALL fill(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size,
                                std::uint32_t word) {
  if (const auto fault = fault_of(word)) {
    const std::lock_guard lock(mutex);
    faults[commands] = *fault;
  }
  next.CmdFillBuffer(commands, buffer, offset, size, word);
}

VKAPI_ATTR void VKAPI_CALL execute(VkCommandBuffer commands, std::uint32_t count, const VkCommandBuffer* executed) {
  {
    const std::lock_guard lock(mutex);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (const auto found = faults.find(executed[i]); found != faults.end()) faults[commands] = found->second;
    }
  }
  next.CmdExecuteCommands(commands, count, executed);
}

std::optional<Fault> fault_in(std::uint32_t count, const VkSubmitInfo* infos) {
  const std::lock_guard lock(mutex);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t j = 0; j < infos[i].commandBufferCount; ++j) {
      if (const auto found = faults.find(infos[i].pCommandBuffers[j]); found != faults.end()) return found->second;
    }
  }
  return std::nullopt;
}

/// Whether the device still does what the submission says.
bool die(VkDevice device, Fault fault) {
  const std::lock_guard lock(mutex);
  dead.emplace(device, fault);
  is_poisoned |= fault == Fault::poisoned;
  return fault == Fault::silent || fault == Fault::poisoned;
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  const VkDevice device = device_of(queue);
  if (const auto death = death_of(device)) return *death == Fault::lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
  if (const auto fault = fault_in(count, infos); fault && !die(device, *fault)) return VK_SUCCESS;
  return next.QueueSubmit(queue, count, infos, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL wait_fences(VkDevice device, std::uint32_t count, const VkFence* fences, VkBool32 all,
                                           std::uint64_t timeout) {
  return is_lost(device) ? VK_ERROR_DEVICE_LOST : next.WaitForFences(device, count, fences, all, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL fence_status(VkDevice device, VkFence fence) {
  return is_lost(device) ? VK_ERROR_DEVICE_LOST : next.GetFenceStatus(device, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL wait(VkDevice device, const VkSemaphoreWaitInfo* info, std::uint64_t timeout) {
  if (is_lost(device)) return VK_ERROR_DEVICE_LOST;
  return next.WaitSemaphores(device, info, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL get_counter(VkDevice device, VkSemaphore semaphore, std::uint64_t* value) {
  if (is_lost(device)) return VK_ERROR_DEVICE_LOST;
  return next.GetSemaphoreCounterValue(device, semaphore, value);
}

/// What a call that waits for all work answers on a dead device, when it answers.
std::optional<VkResult> idle_answer(VkDevice device) {
  const auto death = death_of(device);
  if (death == Fault::lost) return VK_ERROR_DEVICE_LOST;
  if (death) hang();
  return std::nullopt;
}

VKAPI_ATTR VkResult VKAPI_CALL wait_queue_idle(VkQueue queue) {
  const auto answer = idle_answer(device_of(queue));
  return answer ? *answer : next.QueueWaitIdle(queue);
}

VKAPI_ATTR VkResult VKAPI_CALL wait_device_idle(VkDevice device) {
  const auto answer = idle_answer(device);
  return answer ? *answer : next.DeviceWaitIdle(device);
}

VKAPI_ATTR void VKAPI_CALL destroy(VkDevice device, const VkAllocationCallbacks* memory) {
  if (device == nullptr) return;
  static_cast<void>(idle_answer(device));
  {
    const std::lock_guard lock(mutex);
    dead.erase(device);
  }
  next.DestroyDevice(device, memory);
}

}  // namespace

void lose(VkDevice device) { static_cast<void>(die(device, Fault::lost)); }

bool is_lost(VkDevice device) { return death_of(device) == Fault::lost; }

void install_dead_device(Functions& table) {
  next = table;
  table.BeginCommandBuffer = &begin;
  table.CmdFillBuffer = &fill;
  table.CmdExecuteCommands = &execute;
  table.QueueSubmit = &submit;
  table.WaitForFences = &wait_fences;
  table.GetFenceStatus = &fence_status;
  table.WaitSemaphores = &wait;
  table.GetSemaphoreCounterValue = &get_counter;
  table.QueueWaitIdle = &wait_queue_idle;
  table.DeviceWaitIdle = &wait_device_idle;
  table.DestroyDevice = &destroy;
}

}  // namespace pintle::hostile
