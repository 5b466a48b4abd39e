#include "backends/vulkan/timeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace pintle::vulkan {

namespace {

Result<SpareSemaphores::Spare> create_semaphore(Context& context) {
  SpareSemaphores& spares = context.spare_semaphores();
  if (const auto spare = spares.take()) return *spare;
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  SpareSemaphores::Spare made;
  spares.reserve_one();
  PINTLE_TRY(context.check(context.vk.CreateSemaphore(context.device(), &info, nullptr, &made.semaphore),
                           "vkCreateSemaphore"));
  return made;
}

}  // namespace

Result<std::shared_ptr<Timeline>> Timeline::create(Context& context) {
  std::shared_ptr<Timeline> timeline(new Timeline(context));
  PINTLE_ASSIGN(from, create_semaphore(context));
  timeline->from_ = from;
  return timeline;
}

Timeline::~Timeline() {
  if (semaphore() == VK_NULL_HANDLE) return;
  if (const auto reached = value()) {
    context_.spare_semaphores().give_back({semaphore(), semaphore_value(*reached)});
  } else {
    context_.vk.DestroySemaphore(context_.device(), semaphore(), nullptr);
  }
}

Result<std::uint64_t> Timeline::value() {
  std::uint64_t value = 0;
  PINTLE_TRY(context_.check(context_.vk.GetSemaphoreCounterValue(context_.device(), semaphore(), &value),
                            "vkGetSemaphoreCounterValue"));
  return value - from_.value;
}

Result<void> Timeline::wait(std::uint64_t value, Deadline deadline) {
  const auto is_reached = [&]() -> Result<bool> {
    PINTLE_ASSIGN(reached, this->value());
    return reached >= value;
  };
  return waits_.wait(deadline, is_reached, [&] { return sleep_until(value, deadline); });
}

Result<void> Timeline::sleep_until(std::uint64_t value, Deadline deadline) {
  // Another thread can give up the device, which no semaphore tells.
  constexpr Duration look_again = std::chrono::milliseconds(50);
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &from_.semaphore;
  const std::uint64_t awaited = semaphore_value(value);
  info.pValues = &awaited;
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
