// What the standard allows: a device is lost at any submission, whether that says so or its wait does.
#include <atomic>
#include <cstdlib>

#include "habit.h"

namespace pintle::hostile {
namespace {

Functions next;
std::atomic<std::uint64_t> submitted{0};

/// HOSTILE_LOST is the number of the process's submission, from 1.
bool is_the_one() {
  const char* const at = std::getenv("HOSTILE_LOST");
  return at != nullptr && ++submitted == std::strtoull(at, nullptr, 10);
}

/// HOSTILE_LOST_LATE has the submission taken. A device that is lost runs nothing more: its user destroys what the work
/// would use.
template <class Submit>
VkResult submit_or_lose(VkQueue queue, Submit submit) {
  const VkDevice device = device_of(queue);
  if (is_lost(device)) return VK_ERROR_DEVICE_LOST;
  if (!is_the_one()) return submit();
  const VkResult answer = std::getenv("HOSTILE_LOST_LATE") != nullptr ? submit() : VK_ERROR_DEVICE_LOST;
  static_cast<void>(next.QueueWaitIdle(queue));
  lose(device);
  return answer;
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, std::uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  return submit_or_lose(queue, [&] { return next.QueueSubmit(queue, count, infos, fence); });
}

VKAPI_ATTR VkResult VKAPI_CALL submit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* infos, VkFence fence) {
  return submit_or_lose(queue, [&] { return next.QueueSubmit2(queue, count, infos, fence); });
}

}  // namespace

void install_lost_submission(Functions& table) {
  next = table;
  table.QueueSubmit = &submit;
  if (next.QueueSubmit2 != nullptr) table.QueueSubmit2 = &submit2;
}

}  // namespace pintle::hostile
