#include "backends/opencl/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/opencl/wrap.h"
#include "base/contain.h"
#include "base/file.h"
#include "base/log.h"
#include "base/quote.h"
#include "kit/wake_compiler.h"

namespace pintle::opencl {
namespace {

/// From here on it is worth a round trip to learn at once that there is no memory.
constexpr std::uint64_t worth_placing = 1 << 20;

void set_row(DeviceInfo& info, Capability row) {
  const auto place = std::ranges::find(info.capabilities, row.feature, &Capability::feature);
  if (place != info.capabilities.end()) *place = std::move(row);
}

OpenClMemory native_of(const Memory& memory) {
  return {memory.object(), reinterpret_cast<std::uintptr_t>(memory.shared())};
}

Error unknown_type(std::string_view type) {
  return {Errc::unsupported,
          fmt::format("Native type {} is none of the opencl backend's ({}, {}, {}).", base::quote(type),
                      OpenClDevice::native_type, OpenClMemory::native_type, OpenClQueue::native_type)};
}

}  // namespace

Result<std::unique_ptr<backend::Device>> Device::open(FoundDevice found) {
  const std::array<cl_context_properties, 3> properties{CL_CONTEXT_PLATFORM,
                                                        reinterpret_cast<cl_context_properties>(found.platform), 0};
  cl_int status = CL_SUCCESS;
  Owned<cl_context> context(api().clCreateContext(properties.data(), 1, &found.device, nullptr, nullptr, &status));
  if (status != CL_SUCCESS) return failure(status, fmt::format("OpenCL opens no context on [{}].", found.info.id));
  return over(std::move(found), std::move(context));
}

Result<std::unique_ptr<backend::Device>> Device::over(FoundDevice found, Owned<cl_context> context) {
  std::unique_ptr<Device> device(new Device(std::move(found), std::move(context)));
  PINTLE_ASSIGN(service, Service::create(device->context_.get(), device->found_));
  device->service_ = std::move(service);
  PINTLE_TRY(device->try_sharing());
  constexpr std::string_view nothing = "kernel void trial() {}";
  if (device->found_.compiles_at_launch) kit::wake_compiler(*device, "opencl_c", base::bytes_in(nothing));
  return std::unique_ptr<backend::Device>(std::move(device));
}

Device::Device(FoundDevice found, Owned<cl_context> context)
    : found_(std::move(found)),
      context_(std::move(context)),
      memory_(found_, context_.get()),
      programs_(found_, context_.get()),
      queues_{found_, context_.get(), std::make_shared<Loss>(), {}, {}} {}

/// Drivers may wait for unfinished work when its objects are released, so those of a lost device are left to them.
Device::~Device() {
  if (!queues_.loss->is_lost()) return;
  base::log(LogLevel::warn, "opencl", "The objects of the lost device [{}] are left to the driver.", found_.info.id);
  static_cast<void>(service_.release());
  static_cast<void>(context_.release());
}

/// Addresses are promised only where the driver has shown that it keeps the bytes there.
Result<void> Device::try_sharing() {
  if (!found_.is_host_run) return {};
  PINTLE_ASSIGN(id, memory_.allocate({4096, 1, Placement::host, "trial"}));
  Memory& memory = memory_of(id);
  const auto shares = service_->shares(memory.object(), memory.host());
  memory_.release(id);
  PINTLE_TRY(shares);
  if (*shares) return {};
  found_.is_host_run = false;
  found_.has_svm = false;
  const std::string why = "the driver keeps its own copy of host memory";
  set_row(found_.info, {Feature::mapped_memory, Support::absent, why});
  set_row(found_.info, {Feature::host_import, Support::absent, why});
  return {};
}

Result<std::vector<Heap>> Device::budget() {
  return base::contain("asking for the memory budget",
                       [&]() -> Result<std::vector<Heap>> { return std::vector{memory_.heap()}; });
}

Result<backend::MemoryId> Device::allocate(const backend::MemoryRequest& request) {
  return base::contain("allocating", [&]() -> Result<backend::MemoryId> {
    PINTLE_TRY(queues_.loss->check());
    PINTLE_ASSIGN(id, memory_.allocate(request));
    if (request.size < worth_placing) return id;
    const auto placed = service_->place(memory_of(id).object());
    if (placed) return id;
    memory_.release(id);
    return placed.error();
  });
}

void Device::release(backend::MemoryId memory) noexcept {
  programs_.let_go(memory_of(memory).number());
  recordings_.let_go(memory_of(memory).number());
  memory_.release(memory);
}

Result<std::span<std::byte>> Device::map(backend::MemoryId id) {
  return base::contain("mapping", [&]() -> Result<std::span<std::byte>> {
    const Memory& memory = memory_of(id);
    if (memory.host() != nullptr) return std::span(memory.host(), memory.size());
    return Error(
        Errc::unsupported,
        fmt::format("Memory of ({} bytes) on [{}] has no address for the host: {}.", memory.size(), found_.info.id,
                    found_.is_host_run ? "it is not placed on the host"
                                       : found_.info.capability(Feature::mapped_memory).detail));
  });
}

Result<backend::MemoryId> Device::import_memory(const backend::MemorySource& source) {
  return base::contain("importing memory", [&]() -> Result<backend::MemoryId> {
    PINTLE_TRY(queues_.loss->check());
    return memory_.import(source);
  });
}

Result<backend::ProgramId> Device::load(const backend::ProgramImage& image) {
  return base::contain("loading a program", [&]() -> Result<backend::ProgramId> {
    PINTLE_TRY(queues_.loss->check());
    return programs_.load(image);
  });
}

void Device::unload(backend::ProgramId program) noexcept { programs_.unload(program); }

Result<backend::QueueId> Device::create_queue(const backend::QueueRequest& request) {
  return base::contain("creating a queue", [&]() -> Result<backend::QueueId> {
    PINTLE_TRY(queues_.loss->check());
    PINTLE_ASSIGN(native, opencl::create_queue(context_.get(), found_.device, 0));
    const auto time = found_.clock == ClockSource::profiling ? Queue::Time::unmeasured : Queue::Time::measured;
    return Queue::create(queues_, std::move(native), time, request.first_serial);
  });
}

Result<backend::QueueId> Device::wrap_queue(const backend::NativeObject& queue, const backend::QueueRequest& request) {
  return base::contain("wrapping a queue", [&]() -> Result<backend::QueueId> {
    PINTLE_TRY(queues_.loss->check());
    if (queue.type != OpenClQueue::native_type) return unknown_type(queue.type);
    PINTLE_ASSIGN(native, retain_queue(*static_cast<const OpenClQueue*>(queue.value), context_.get(), found_));
    return Queue::create(queues_, std::move(native), Queue::Time::measured, request.first_serial);
  });
}

void Device::destroy_queue(backend::QueueId queue) noexcept { static_cast<void>(queues_.table.remove(queue)); }

/// `body` with the queue, where there is one and the device is not lost.
template <class Body>
auto Device::on_queue(backend::QueueId id, std::string_view what, Body body) -> std::invoke_result_t<Body, Queue&> {
  return base::contain(what, [&]() -> std::invoke_result_t<Body, Queue&> {
    PINTLE_TRY(queues_.loss->check());
    const auto queue = queues_.table.find(id);
    if (queue != nullptr) return body(*queue);
    return Error(Errc::internal,
                 fmt::format("Queue ({}) of [{}] is not there.", static_cast<std::uint64_t>(id), found_.info.id));
  });
}

Result<std::uint64_t> Device::submit(backend::QueueId id, std::span<const backend::QueuePoint> waits,
                                     const backend::Commands& commands) {
  return on_queue(id, "submitting", [&](Queue& queue) { return queue.submit(waits, commands); });
}

Result<std::uint64_t> Device::reached(backend::QueueId id) {
  return on_queue(id, "looking at a queue", [](Queue& queue) { return queue.timeline().reached(); });
}

Result<void> Device::wait(backend::QueueId id, std::uint64_t serial, Deadline deadline) {
  return on_queue(id, "waiting", [&](Queue& queue) { return queue.timeline().wait(serial, deadline); });
}

Result<void> Device::notify(backend::QueueId id, std::uint64_t serial, backend::Notification notification) {
  return on_queue(id, "asking for a notification",
                  [&](Queue& queue) { return queue.timeline().notify(serial, notification); });
}

/// Steps cut a list, which a replay inside another list cannot be.
Result<backend::RecordingId> Device::record(const backend::Commands& commands) {
  return base::contain("recording", [&]() -> Result<backend::RecordingId> {
    if (!std::ranges::any_of(commands.commands, &is_step)) return recordings_.record(commands);
    return Error(Errc::unsupported,
                 fmt::format("[{}] records no list with host calls, indirect launches or timestamps.", found_.info.id));
  });
}

/// On the device's own timer, or from what an empty command tells; both are the clock of profiling times.
Result<std::uint64_t> Device::device_ticks() {
  if (!found_.has_device_timer) return service_->now();
  cl_ulong device = 0, host = 0;
  PINTLE_TRY(check(api().clGetDeviceAndHostTimer(found_.device, &device, &host), "clGetDeviceAndHostTimer"));
  return device;
}

Result<backend::ClockPair> Device::calibrate() {
  return base::contain("calibrating the clock", [&]() -> Result<backend::ClockPair> {
    PINTLE_TRY(queues_.loss->check());
    const Deadline before = Clock::now();
    if (found_.clock == ClockSource::host) {
      const auto ticks = std::chrono::duration_cast<Duration>(before.time_since_epoch()).count();
      return backend::ClockPair{static_cast<std::uint64_t>(ticks), before, Duration::zero()};
    }
    PINTLE_ASSIGN(ticks, device_ticks());
    const Duration half = (Clock::now() - before) / 2;
    return backend::ClockPair{ticks, before + half, half};
  });
}

Result<void> Device::native(std::string_view type, std::uint64_t object, void* out) {
  if (type == OpenClDevice::native_type) {
    *static_cast<OpenClDevice*>(out) = {found_.platform, found_.device, context_.get()};
    return {};
  }
  if (type == OpenClMemory::native_type) {
    *static_cast<OpenClMemory*>(out) = native_of(memory_of(backend::MemoryId{object}));
    return {};
  }
  if (type == OpenClQueue::native_type) {
    return on_queue(backend::QueueId{object}, "asking for native access", [&](Queue& queue) -> Result<void> {
      PINTLE_ASSIGN(handle, queue.native());
      *static_cast<OpenClQueue*>(out) = {handle};
      return {};
    });
  }
  return base::contain("asking for native access", [&]() -> Result<void> { return unknown_type(type); });
}

Result<void> Device::probe() {
  return base::contain("probing", [&]() -> Result<void> {
    PINTLE_TRY(queues_.loss->check());
    auto probed = service_->probe();
    if (probed) return {};
    return queues_.loss->lose(probed.error());
  });
}

}  // namespace pintle::opencl
