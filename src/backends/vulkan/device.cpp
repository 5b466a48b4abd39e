#include "backends/vulkan/device.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "backends/vulkan/recorder.h"
#include "kit/guarded.h"
#include "kit/native_types.h"
#include "kit/wake_compiler.h"
#include "pintle/native/vulkan.h"
#include "spirv/trial.h"

namespace pintle::vulkan {

std::unique_ptr<backend::Device> Device::over(std::unique_ptr<Context> context, DeviceInfo info) {
  const bool is_llvmpipe = context->physical().version_1_2.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
  auto loss = context->shared_loss();
  std::unique_ptr<Device> inner(new Device(std::move(context), std::move(info)));
  kit::StepQueues& queues = inner->queues_.steps();
  auto device = std::make_unique<kit::Guarded>(std::move(inner), std::move(loss), queues);
  if (is_llvmpipe) kit::wake_compiler(*device, "spirv", std::as_bytes(std::span(spirv::trial_shader)));
  return device;
}

Result<backend::QueueId> Device::wrap_queue(const backend::NativeObject& queue, const backend::QueueRequest& request) {
  if (queue.type != VulkanQueue::native_type)
    return kit::unknown_native_type<VulkanDevice, VulkanQueue, VulkanMemory>(queue.type, "vulkan");
  PINTLE_ASSIGN(lane, context_->adopt(*static_cast<const VulkanQueue*>(queue.value)));
  const Family& family = lane->family;
  if (request.kind == QueueKind::compute && (family.flags & VK_QUEUE_COMPUTE_BIT) == 0)
    return Error(Errc::invalid_argument,
                 fmt::format("Family ({}) of the VkQueue runs no kernels: its queue is a copy queue.", family.index));
  return queues_.create(request, *lane);
}

Result<backend::RecordingId> Device::record(const backend::Commands& commands) {
  PINTLE_ASSIGN(recording, Recorder::translate(commands, *context_, queues_.staging()));
  return recordings_.add(std::move(recording));
}

Result<backend::ClockPair> Device::calibrate() {
  if (info_.capability(Feature::calibration).support != Support::native)
    return Error(Errc::unsupported,
                 fmt::format("[{}] relates no clocks: {}.", info_.id, info_.capability(Feature::calibration).detail));
  std::array<VkCalibratedTimestampInfoEXT, 2> clocks{};
  for (auto& clock : clocks) clock.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  clocks[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
  clocks[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;  // what Clock reads
  std::array<std::uint64_t, 2> readings{};
  std::uint64_t deviation = 0;
  PINTLE_TRY(context_->check(context_->vk.GetCalibratedTimestampsEXT(context_->device(), clocks.size(), clocks.data(),
                                                                     readings.data(), &deviation),
                             "vkGetCalibratedTimestampsEXT"));
  return backend::ClockPair{readings[0], Deadline(Duration(static_cast<std::int64_t>(readings[1]))),
                            Duration(static_cast<std::int64_t>(deviation))};
}

Result<void> Device::native(std::string_view type, std::uint64_t object, void* out) {
  const auto device_of = [&](std::uint64_t id) -> Result<std::optional<VulkanDevice>> {
    if (id != 0) return std::nullopt;
    Lane& lane = context_->lane(QueueKind::compute);
    lane.is_shared.store(true);
    return VulkanDevice{context_->instance().handle(), context_->physical().handle, context_->device(), lane.queue,
                        lane.family.index};
  };
  const auto queue_of = [&](std::uint64_t id) -> Result<std::optional<VulkanQueue>> {
    const auto queue = queues_.find(backend::QueueId{id});
    if (queue == nullptr) return std::nullopt;
    queue->lane().is_shared.store(true);
    return VulkanQueue{queue->lane().queue, queue->lane().family.index};
  };
  const auto memory_of = [&](std::uint64_t id) -> Result<std::optional<VulkanMemory>> {
    return memory_.native(backend::MemoryId{id});
  };
  return kit::answer_native({type, object, out}, "vulkan", kit::native_type<VulkanDevice>("the device", device_of),
                            kit::native_type<VulkanQueue>("a queue", queue_of),
                            kit::native_type<VulkanMemory>("a buffer", memory_of));
}

/// An empty batch, whose end is waited for.
Result<void> Device::probe() {
  PINTLE_ASSIGN(queue, Queue::create(*context_, queues_, context_->lane(QueueKind::compute), {}));
  PINTLE_ASSIGN(serial, queue->submit({}, {}));
  const auto answered = queue->wait(serial, Clock::now() + std::chrono::seconds(4));
  if (answered) return answered;
  const std::lock_guard lock(unanswered_mutex_);
  unanswered_.push_back(std::move(queue));
  return answered;
}

}  // namespace pintle::vulkan
