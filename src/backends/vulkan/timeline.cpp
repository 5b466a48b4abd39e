#include "backends/vulkan/timeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace pintle::vulkan {

Result<std::shared_ptr<Timeline>> Timeline::create(Context& context) {
  std::shared_ptr<Timeline> timeline(new Timeline(context));
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  PINTLE_TRY(context.check(context.vk.CreateSemaphore(context.device(), &info, nullptr, &timeline->semaphore_),
                           "vkCreateSemaphore"));
  return timeline;
}

Timeline::~Timeline() {
  if (semaphore_ != VK_NULL_HANDLE) context_.vk.DestroySemaphore(context_.device(), semaphore_, nullptr);
}

Result<std::uint64_t> Timeline::value() {
  std::uint64_t value = 0;
  PINTLE_TRY(context_.check(context_.vk.GetSemaphoreCounterValue(context_.device(), semaphore_, &value),
                            "vkGetSemaphoreCounterValue"));
  return value;
}

Result<void> Timeline::wait(std::uint64_t value, Deadline deadline) {
  // A device can be given up by another thread, which no semaphore tells.
  constexpr Duration look_again = std::chrono::milliseconds(50);
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore_;
  info.pValues = &value;
  while (true) {
    const Deadline now = Clock::now();
    const Duration left = std::clamp<Duration>(deadline - std::min(now, deadline), Duration::zero(), look_again);
    const VkResult answer =
        context_.vk.WaitSemaphores(context_.device(), &info, static_cast<std::uint64_t>(left.count()));
    if (answer != VK_TIMEOUT) return context_.check(answer, "vkWaitSemaphores");
    PINTLE_TRY(context_.alive());
    if (now + left >= deadline) {
      return Error(Errc::timeout, fmt::format("Work of [{}] is not finished at the deadline.", context_.id()))
          .with_device(context_.id(), 0);
    }
  }
}

}  // namespace pintle::vulkan
