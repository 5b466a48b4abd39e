#include "backends/opencl/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/opencl/texels.h"
#include "backends/opencl/wrap.h"
#include "base/file.h"
#include "base/log.h"
#include "kit/capability_rows.h"
#include "kit/guarded.h"
#include "kit/host_clock.h"
#include "kit/native_types.h"
#include "kit/open_apart.h"
#include "kit/wake_compiler.h"

namespace pintle::opencl {
namespace {

/// From so many bytes on it is worth a round trip to learn at once that there is no memory.
constexpr std::uint64_t worth_placing = 1 << 20;

/// Where an offset of texels has to be 0: an alignment that hardly a buffer reaches.
constexpr std::uint32_t no_offset = 1U << 31;

Result<Owned<cl_context>> create_context(const FoundDevice& found) {
  const std::array<cl_context_properties, 3> properties{CL_CONTEXT_PLATFORM,
                                                        reinterpret_cast<cl_context_properties>(found.platform), 0};
  cl_int status = CL_SUCCESS;
  Owned<cl_context> context(api().clCreateContext(properties.data(), 1, &found.device, nullptr, nullptr, &status));
  if (status == CL_SUCCESS) return context;
  const Error refused = failure(status, fmt::format("OpenCL opens no context on [{}].", found.info.id));
  if (refused.code() != Errc::device_lost) return refused;
  return Error(Errc::process_poisoned, std::string(refused.message())).with_vendor(*refused.vendor());
}

}  // namespace

Result<std::unique_ptr<backend::Device>> Device::open(const FoundDevice& found) {
  return over(found, [found] { return create_context(found); });
}

/// The calling thread makes the guard: at the end of the process only guards that the main thread made wait for work.
Result<std::unique_ptr<backend::Device>> Device::over(const FoundDevice& found, MakeContext make_context) {
  using Made = std::unique_ptr<Device>;
  const auto make = [found, make_context = std::move(make_context)] { return Device::make(found, make_context); };
  PINTLE_ASSIGN(device, found.waits_for_kernels ? kit::open_apart<Made>(found.info.id, make) : make());
  constexpr std::string_view nothing = "kernel void trial() {}";
  const auto driving = found.waits_for_kernels ? kit::Driving::may_wait : kit::Driving::never_waits;
  QueueContext& queues = device->queues_;
  auto guarded = std::make_unique<kit::Guarded>(std::move(device), queues.loss, queues.steps, driving);
  if (found.compiles_at_launch) kit::wake_compiler(*guarded, "opencl_c", base::bytes_in(nothing));
  return std::unique_ptr<backend::Device>(std::move(guarded));
}

Result<std::unique_ptr<Device>> Device::make(const FoundDevice& found, const MakeContext& make_context) {
  PINTLE_ASSIGN(context, make_context());
  std::unique_ptr<Device> device(new Device(found, std::move(context)));
  PINTLE_ASSIGN(service, Service::create(device->context_.get(), device->found_));
  device->service_ = std::move(service);
  PINTLE_TRY(device->try_sharing());
  device->find_texels();
  PINTLE_TRY(device->try_texel_buffers());
  return device;
}

Device::Device(FoundDevice found, Owned<cl_context> context)
    : found_(std::move(found)),
      context_(std::move(context)),
      images_(context_.get(), found_.mistakes_texels),
      memory_(found_, context_.get(), images_),
      programs_(found_, context_.get(), images_),
      queues_{found_, context_.get(), std::make_shared<kit::Loss>(found_.info.id), {}, {}} {}

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
  Memory& memory = Memories::at(id);
  const auto shares = service_->shares(memory.object(), memory.host());
  memory_.release(id);
  PINTLE_TRY(shares);
  if (*shares) return {};
  found_.is_host_run = false;
  found_.has_svm = false;
  const std::string why = "the driver keeps its own copy of host memory";
  kit::set_row(found_.info, {Feature::mapped_memory, Support::absent, why});
  kit::set_row(found_.info, {Feature::host_import, Support::absent, why});
  return {};
}

/// A listed device has what is promised, an open one what its context tells.
void Device::find_texels() {
  DeviceInfo& info = found_.info;
  if (info.limits.max_image_2d == 0) return;
  info.texels = texels_of(context_.get(), CL_MEM_OBJECT_IMAGE2D);
  if (info.limits.max_texel_buffer != 0) info.buffer_texels = texels_of(context_.get(), CL_MEM_OBJECT_IMAGE1D_BUFFER);
  if (!found_.mistakes_texels) return;
  for (auto* const texels : {&info.texels, &info.buffer_texels})
    std::erase_if(*texels, [](const TexelSupport& support) { return support.texel == Texel::r16f; });
}

/// Some drivers make no image over a sub-buffer: texel buffers then begin where their memory does.
Result<void> Device::try_texel_buffers() {
  DeviceInfo& info = found_.info;
  if (info.limits.max_texel_buffer == 0) return {};
  if (const auto image = images_.stand_in(1); !image) {
    info.limits.max_texel_buffer = 0;
    info.buffer_texels.clear();
    kit::set_row(info, {Feature::texel_buffers, Support::absent,
                        fmt::format("the driver makes no image over a buffer: {}", image.error().message())});
    return {};
  }
  const std::uint32_t alignment = info.limits.offset_alignment;
  PINTLE_ASSIGN(id, memory_.allocate({2 * std::uint64_t{alignment}, 1, Placement::device, "trial"}));
  const bool is_placed = Memories::at(id).part(alignment, 4, {Texel::rgba8, Access::read}, images_).has_value();
  memory_.release(id);
  if (is_placed) return {};
  info.limits.texel_alignment = no_offset;
  kit::set_row(info, {Feature::texel_buffers, Support::native,
                      "they begin where their memory does, so that few buffers of a pool can be one"});
  return {};
}

Result<backend::MemoryId> Device::allocate(const backend::MemoryRequest& request) {
  PINTLE_ASSIGN(id, memory_.allocate(request));
  if (request.size < worth_placing) return id;
  const auto placed = service_->place(Memories::at(id).object());
  if (placed) return id;
  memory_.release(id);
  return placed.error();
}

void Device::release(backend::MemoryId memory) noexcept {
  programs_.let_go(Memories::at(memory).number());
  let_go(recordings_, Memories::at(memory).number());
  memory_.release(memory);
}

Result<std::span<std::byte>> Device::map(backend::MemoryId id) {
  const Memory& memory = Memories::at(id);
  if (memory.host() != nullptr) return std::span(memory.host(), memory.size());
  return Error(
      Errc::unsupported,
      fmt::format(
          "Memory of ({} bytes) on [{}] has no address for the host: {}.", memory.size(), found_.info.id,
          found_.is_host_run ? "it is not placed on the host" : found_.info.capability(Feature::mapped_memory).detail));
}

Result<backend::QueueId> Device::create_queue(const backend::QueueRequest& request) {
  PINTLE_ASSIGN(native, opencl::create_queue(context_.get(), found_.device, 0));
  const auto time = found_.clock == ClockSource::profiling ? Queue::Time::unmeasured : Queue::Time::measured;
  return Queue::create(queues_, std::move(native), time, request.first_serial);
}

Result<backend::QueueId> Device::wrap_queue(const backend::NativeObject& queue, const backend::QueueRequest& request) {
  if (queue.type != OpenClQueue::native_type)
    return kit::unknown_native_type<OpenClDevice, OpenClMemory, OpenClQueue>(queue.type, "opencl");
  PINTLE_ASSIGN(native, retain_queue(*static_cast<const OpenClQueue*>(queue.value), context_.get(), found_));
  PINTLE_ASSIGN(measures, measures_time(native.get(), found_));
  const auto time = measures ? Queue::Time::measured : Queue::Time::absent;
  return Queue::create(queues_, std::move(native), time, request.first_serial);
}

/// Steps cut a list, which a replay inside another list cannot be.
Result<backend::RecordingId> Device::record(const backend::Commands& commands) {
  if (std::ranges::any_of(commands.commands, &kit::is_for_host) || kit::reads_own_downloads(commands)) {
    return Error(Errc::unsupported,
                 fmt::format("[{}] records no list with host calls, indirect launches, timestamps, or uploads of what "
                             "it downloads.",
                             found_.info.id));
  }
  PINTLE_TRY(check_local(commands));
  PINTLE_ASSIGN(recording, opencl::record(commands));
  return recordings_.add(std::move(recording));
}

/// From the device's own timer, or from an empty command; both tell the clock of profiling times.
Result<std::uint64_t> Device::device_ticks() {
  if (!found_.has_device_timer) return service_->now();
  cl_ulong device = 0, host = 0;
  PINTLE_TRY(check(api().clGetDeviceAndHostTimer(found_.device, &device, &host), "clGetDeviceAndHostTimer"));
  return device;
}

Result<backend::ClockPair> Device::calibrate() {
  if (found_.clock == ClockSource::host) return kit::host_clock_pair();
  const Deadline before = Clock::now();
  PINTLE_ASSIGN(ticks, device_ticks());
  const Duration half = (Clock::now() - before) / 2;
  return backend::ClockPair{ticks, before + half, half};
}

Result<void> Device::native(std::string_view type, std::uint64_t object, void* out) {
  const auto memory_of = [&](std::uint64_t id) -> Result<std::optional<OpenClMemory>> {
    const Memory* const memory = memory_.find(backend::MemoryId{id});
    if (memory == nullptr) return std::nullopt;
    return OpenClMemory{memory->object(), reinterpret_cast<std::uintptr_t>(memory->shared())};
  };
  const auto queue_of = [&](std::uint64_t id) -> Result<std::optional<OpenClQueue>> {
    const auto queue = queues_.table.find(backend::QueueId{id});
    if (queue == nullptr) return std::nullopt;
    PINTLE_ASSIGN(handle, queue->native());
    return OpenClQueue{handle};
  };
  return kit::answer_native(
      {type, object, out}, "opencl", kit::native_device(OpenClDevice{found_.platform, found_.device, context_.get()}),
      kit::native_type<OpenClMemory>("a buffer", memory_of), kit::native_type<OpenClQueue>("a queue", queue_of));
}

Result<void> Device::probe() {
  const auto probed = service_->probe();
  return probed ? Result<void>() : queues_.loss->lose(probed.error());
}

}  // namespace pintle::opencl
