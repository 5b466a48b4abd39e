#include "backends/vulkan/device.h"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "base/contain.h"
#include "base/quote.h"
#include "kit/wake_compiler.h"
#include "pintle/native/vulkan.h"
#include "spirv/trial.h"

namespace pintle::vulkan {
namespace {

Error unknown_type(std::string_view type) {
  return {Errc::unsupported,
          fmt::format("Native type {} is none of the vulkan backend's ({}, {}, {}).", base::quote(type),
                      VulkanDevice::native_type, VulkanQueue::native_type, VulkanMemory::native_type)};
}

}  // namespace

std::unique_ptr<backend::Device> Device::over(std::unique_ptr<Context> context, DeviceInfo info) {
  const bool is_llvmpipe = context->physical().version_1_2.driverID == VK_DRIVER_ID_MESA_LLVMPIPE;
  std::unique_ptr<backend::Device> device(new Device(std::move(context), std::move(info)));
  if (is_llvmpipe) kit::wake_compiler(*device, "spirv", std::as_bytes(std::span(spirv::trial_shader)));
  return device;
}

/// Everything is reached, or the device is lost: this returns at once. Vulkan wants its objects idle when they go.
Device::~Device() { context_->settle(); }

/// No exception passes, and a lost device answers its first cause.
template <class Body>
auto Device::guarded(std::string_view what, Body body) noexcept {
  return base::contain(what, [&]() -> std::invoke_result_t<Body> {
    PINTLE_TRY(context_->alive());
    return body();
  });
}

Result<std::vector<Heap>> Device::budget() {
  return guarded("asking for the memory budget", [&]() -> Result<std::vector<Heap>> { return memory_.heaps(); });
}

Result<backend::MemoryId> Device::allocate(const backend::MemoryRequest& request) {
  return guarded("allocating", [&] { return memory_.allocate(request); });
}

Result<std::span<std::byte>> Device::map(backend::MemoryId memory) {
  return guarded("mapping", [&] { return memory_.map(memory); });
}

Result<backend::Exported> Device::export_memory(backend::MemoryId memory) {
  return guarded("exporting memory", [&] { return memory_.export_memory(memory); });
}

Result<backend::MemoryId> Device::import_memory(const backend::MemorySource& source) {
  return guarded("importing memory", [&] { return memory_.import(source); });
}

Result<backend::ProgramId> Device::load(const backend::ProgramImage& image) {
  return guarded("loading a program", [&] { return programs_.load(image); });
}

Result<backend::QueueId> Device::create_queue(const backend::QueueRequest& request) {
  return guarded("creating a queue", [&] { return queues_.create(request, context_->lane(request.kind)); });
}

Result<backend::QueueId> Device::wrap_queue(const backend::NativeObject& queue, const backend::QueueRequest& request) {
  return guarded("wrapping a queue", [&]() -> Result<backend::QueueId> {
    if (queue.type != VulkanQueue::native_type) return unknown_type(queue.type);
    PINTLE_ASSIGN(lane, context_->adopt(*static_cast<const VulkanQueue*>(queue.value)));
    return queues_.create(request, *lane);
  });
}

Result<std::uint64_t> Device::submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                                     const backend::Commands& commands) {
  return guarded("submitting", [&] { return queues_.find(queue)->submit(waits, commands); });
}

Result<std::uint64_t> Device::reached(backend::QueueId queue) {
  return guarded("looking at a queue", [&] { return queues_.find(queue)->reached(); });
}

Result<void> Device::wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline) {
  return guarded("waiting", [&] { return queues_.find(queue)->wait(serial, deadline); });
}

Result<backend::RecordingId> Device::record(const backend::Commands& commands) {
  return guarded("recording", [&] { return recordings_.record(commands); });
}

Result<backend::ClockPair> Device::calibrate() {
  return guarded("relating clocks", [&]() -> Result<backend::ClockPair> {
    if (!context_->physical().relates_clocks)
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
  });
}

Result<void> Device::native(std::string_view type, std::uint64_t object, void* out) {
  return guarded("asking for native access", [&]() -> Result<void> {
    if (type == VulkanDevice::native_type) {
      Lane& lane = context_->lane(QueueKind::compute);
      *static_cast<VulkanDevice*>(out) = {context_->instance().handle(), context_->physical().handle,
                                          context_->device(), lane.queue, lane.family.index};
      return {};
    }
    if (type == VulkanQueue::native_type) {
      const Lane& lane = queues_.find(backend::QueueId{object})->lane();
      *static_cast<VulkanQueue*>(out) = {lane.queue, lane.family.index};
      return {};
    }
    if (type == VulkanMemory::native_type) {
      const Allocation& memory = allocation_of(backend::MemoryId{object});
      const VkDeviceAddress address = memory.block->address();
      *static_cast<VulkanMemory*>(out) = {reinterpret_cast<std::uint64_t>(memory.block->buffer()),
                                          reinterpret_cast<std::uint64_t>(memory.block->memory()), memory.offset,
                                          memory.size, address == 0 ? 0 : address + memory.offset};
      return {};
    }
    return unknown_type(type);
  });
}

/// An empty batch, whose end is waited for.
Result<void> Device::probe() {
  return guarded("probing", [&]() -> Result<void> {
    PINTLE_ASSIGN(queue, Queue::create(*context_, queues_, context_->lane(QueueKind::compute), {}));
    PINTLE_ASSIGN(serial, queue->submit({}, {}));
    return queue->wait(serial, Clock::now() + std::chrono::seconds(5));
  });
}

}  // namespace pintle::vulkan
