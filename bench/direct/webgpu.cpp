// The reference in WebGPU: an instance and a device of its own, a pipeline that is made before, one command buffer for
// each submission, since WebGPU submits none twice. It waits as each implementation's documents say: wgpu-native by a
// poll that blocks, others by wgpuInstanceWaitAny, or by processing events where the library does not have that.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/platform.h"
#include "base/quote.h"
#include "bench/direct/direct.h"
#include "bench/kernels/kernel_text.h"
#include "bench/kernels/turn.h"
#include "vendor/webgpu/table.h"

namespace pintle::bench {
namespace {

namespace wg = vendor::webgpu;

struct WaitedFuture {
  wg::Future future;
  wg::Bool is_complete = 0;
};
using WaitAny = std::uint32_t(wg::Instance, std::size_t, WaitedFuture*, std::uint64_t);
constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();

/// A library with an instance of the reference's own.
struct Library {
  wg::Table api;
  WaitAny* wait_any = nullptr;
  wg::Instance instance = nullptr;

  static Result<const Library*> open(const std::string& path);
};

/// Opened once and never closed: implementations have threads that outlive main.
Result<const Library*> Library::open(const std::string& path) {
  PINTLE_ASSIGN(table, wg::Table::open(path));
  auto& library = *new Library{std::move(table)};
  wg::InstanceExtras extras;
  extras.backends = wg::InstanceExtras::primary;
  const wg::InstanceFeature features[]{wg::InstanceFeature::timed_wait_any};
  const wg::InstanceLimits limits{nullptr, 1};
  wg::InstanceDescriptor wanted;
  if (library.api.DevicePoll != nullptr) {
    wanted.next = &extras.chain;
  } else {
    static_cast<void>(library.api.library.find("wgpuInstanceWaitAny", library.wait_any));
    wanted.feature_count = 1;
    wanted.features = features;
    wanted.limits = &limits;
  }
  library.instance = library.api.CreateInstance(&wanted);
  if (library.instance == nullptr) return Error(Errc::unavailable, "The reference's library makes no instance.");
  return &library;
}

/// What a request answers.
template <class Handle>
struct Answer {
  Handle handle = nullptr;
  bool has_come = false;

  static void take(std::uint32_t, Handle handle, wg::StringView, void* answer, void*) {
    *static_cast<Answer*>(answer) = {handle, true};
  }
};

class DirectWebGpu final : public Direct {
 public:
  explicit DirectWebGpu(const Library& library) : library_(library), api_(library.api) {}
  ~DirectWebGpu() override;

  Result<void> open(wg::Adapter adapter);
  Result<void> record(std::uint32_t launches) override;
  Result<void> submit() override;
  Result<void> wait() override;
  Result<void> allocate(std::size_t size) override;
  Result<void> upload(std::span<const std::byte> from) override;
  Result<void> download(std::span<std::byte> to) override;
  Result<std::vector<std::uint32_t>> turn(std::uint32_t rounds) override;

 private:
  Result<void> make_pipeline(std::string_view entry, const wg::BindGroupLayout* layout);
  Result<wg::Buffer> make_buffer(wg::Flags usage, std::size_t size);
  wg::BindGroup make_group(wg::BindGroupLayout layout, std::size_t size) const;
  wg::BindGroupLayout make_layout() const;
  void pump() const;
  Result<void> wait_for(wg::Future future);
  Result<void> wait_for_work();
  void submit(wg::CommandEncoder encoder) const;
  Result<void> check(std::string_view what);

  const Library& library_;
  const wg::Table& api_;
  wg::Device device_ = nullptr;
  wg::Queue queue_ = nullptr;
  wg::ShaderModule module_ = nullptr;
  wg::ComputePipeline pipeline_ = nullptr;
  wg::BindGroup group_ = nullptr;
  std::uint32_t launches_ = 0;
  wg::Buffer memory_ = nullptr;
  wg::Buffer mapped_ = nullptr;
  wg::Buffer scalars_ = nullptr;
  bool is_done_ = false;
  std::string failure_;  ///< What the device's handler of errors was told.
};

DirectWebGpu::~DirectWebGpu() {
  for (const wg::Buffer buffer : {memory_, mapped_, scalars_}) {
    if (buffer != nullptr) api_.BufferRelease(buffer);
  }
  if (group_ != nullptr) api_.BindGroupRelease(group_);
  if (pipeline_ != nullptr) api_.ComputePipelineRelease(pipeline_);
  if (module_ != nullptr) api_.ShaderModuleRelease(module_);
  if (queue_ != nullptr) api_.QueueRelease(queue_);
  if (device_ != nullptr) api_.DeviceRelease(device_);
}

Result<void> DirectWebGpu::open(wg::Adapter adapter) {
  wg::Limits limits;
  api_.AdapterGetLimits(adapter, &limits);
  limits.next = nullptr;
  wg::DeviceDescriptor wanted;
  wanted.limits = &limits;
  wanted.lost.mode = wg::CallbackMode::allow_spontaneous;
  wanted.lost.call = [](const wg::Device*, wg::LostReason, wg::StringView, void*, void*) {};
  wanted.error.call = [](const wg::Device*, wg::ErrorType, wg::StringView words, void* failure, void*) {
    *static_cast<std::string*>(failure) = words.text();
  };
  wanted.error.first = &failure_;
  Answer<wg::Device> answer;
  wg::DeviceCallback callback;
  callback.call = &Answer<wg::Device>::take;
  callback.first = &answer;
  api_.AdapterRequestDevice(adapter, &wanted, callback);
  while (!answer.has_come) api_.InstanceProcessEvents(library_.instance);
  if (answer.handle == nullptr) return Error(Errc::unavailable, "The reference's adapter gives no device.");
  device_ = answer.handle;
  queue_ = api_.DeviceGetQueue(device_);
  wg::WgslSource source;
  source.code = wgsl_text;
  wg::Labelled module;
  module.next = &source.chain;
  module_ = api_.DeviceCreateShaderModule(device_, &module);
  return check("the kernels");
}

Result<void> DirectWebGpu::check(std::string_view what) {
  if (failure_.empty()) return {};
  return Error(Errc::internal, fmt::format("The reference's implementation refuses {}: {}", what, failure_));
}

Result<void> DirectWebGpu::make_pipeline(std::string_view entry, const wg::BindGroupLayout* layout) {
  wg::PipelineLayoutDescriptor wanted;
  wanted.count = layout != nullptr ? 1 : 0;
  wanted.groups = layout;
  const wg::PipelineLayout made = api_.DeviceCreatePipelineLayout(device_, &wanted);
  wg::ComputePipelineDescriptor pipeline;
  pipeline.layout = made;
  pipeline.compute.module = module_;
  pipeline.compute.entry_point = entry;
  pipeline_ = api_.DeviceCreateComputePipeline(device_, &pipeline);
  api_.PipelineLayoutRelease(made);
  return check("a pipeline");
}

Result<void> DirectWebGpu::record(std::uint32_t launches) {
  launches_ = launches;
  return make_pipeline("bench_nothing", nullptr);
}

void DirectWebGpu::submit(wg::CommandEncoder encoder) const {
  const wg::CommandBuffer commands = api_.CommandEncoderFinish(encoder, nullptr);
  api_.QueueSubmit(queue_, 1, &commands);
  api_.CommandBufferRelease(commands);
  api_.CommandEncoderRelease(encoder);
}

Result<void> DirectWebGpu::submit() {
  const wg::CommandEncoder encoder = api_.DeviceCreateCommandEncoder(device_, nullptr);
  const wg::ComputePass pass = api_.CommandEncoderBeginComputePass(encoder, nullptr);
  api_.ComputePassEncoderSetPipeline(pass, pipeline_);
  if (group_ != nullptr) api_.ComputePassEncoderSetBindGroup(pass, 0, group_, 0, nullptr);
  for (std::uint32_t i = 0; i < launches_; ++i) api_.ComputePassEncoderDispatchWorkgroups(pass, 1, 1, 1);
  api_.ComputePassEncoderEnd(pass);
  api_.ComputePassEncoderRelease(pass);
  submit(encoder);
  return {};
}

void DirectWebGpu::pump() const {
  if (api_.DevicePoll != nullptr) api_.DevicePoll(device_, 1, nullptr);
  else api_.InstanceProcessEvents(library_.instance);
}

/// Until the callback has come that sets is_done_.
Result<void> DirectWebGpu::wait_for(wg::Future future) {
  if (library_.wait_any != nullptr) {
    WaitedFuture waited{future};
    const bool is_over = library_.wait_any(library_.instance, 1, &waited, for_ever) == wg::succeeded;
    if (!is_over || !is_done_) return Error(Errc::internal, "The reference's wait (wgpuInstanceWaitAny) fails.");
  } else {
    while (!is_done_) pump();
  }
  return check("what was submitted");
}

/// The callback of a wait: `done` is is_done_.
template <class Callback>
Callback callback_of(const Library& library, bool& done) {
  done = false;
  Callback callback;
  if (library.wait_any != nullptr) callback.mode = wg::CallbackMode::wait_any_only;
  callback.call = [](std::uint32_t, wg::StringView, void* done, void*) { *static_cast<bool*>(done) = true; };
  callback.first = &done;
  return callback;
}

Result<void> DirectWebGpu::wait_for_work() {
  return wait_for(api_.QueueOnSubmittedWorkDone(queue_, callback_of<wg::WorkCallback>(library_, is_done_)));
}

Result<void> DirectWebGpu::wait() { return wait_for_work(); }

Result<wg::Buffer> DirectWebGpu::make_buffer(wg::Flags usage, std::size_t size) {
  wg::BufferDescriptor wanted;
  wanted.usage = usage;
  wanted.size = size;
  const wg::Buffer made = api_.DeviceCreateBuffer(device_, &wanted);
  PINTLE_TRY(check("a buffer"));
  return made;
}

Result<void> DirectWebGpu::allocate(std::size_t size) {
  namespace usage = wg::buffer_usage;
  PINTLE_ASSIGN(memory, make_buffer(usage::storage | usage::copy_source | usage::copy_target, size));
  memory_ = memory;
  PINTLE_ASSIGN(mapped, make_buffer(usage::map_read | usage::copy_target, size));
  mapped_ = mapped;
  return {};
}

Result<void> DirectWebGpu::upload(std::span<const std::byte> from) {
  api_.QueueWriteBuffer(queue_, memory_, 0, from.data(), from.size());
  api_.QueueSubmit(queue_, 0, nullptr);
  return wait_for_work();
}

Result<void> DirectWebGpu::download(std::span<std::byte> to) {
  const wg::CommandEncoder encoder = api_.DeviceCreateCommandEncoder(device_, nullptr);
  api_.CommandEncoderCopyBufferToBuffer(encoder, memory_, 0, mapped_, 0, to.size());
  submit(encoder);
  PINTLE_TRY(wait_for(
      api_.BufferMapAsync(mapped_, wg::map_mode_read, 0, to.size(), callback_of<wg::MapCallback>(library_, is_done_))));
  const void* const bytes = api_.BufferGetConstMappedRange(mapped_, 0, to.size());
  if (bytes == nullptr) return Error(Errc::internal, "The reference's buffer is not mapped.");
  std::memcpy(to.data(), bytes, to.size());
  api_.BufferUnmap(mapped_);
  return {};
}

wg::BindGroupLayout DirectWebGpu::make_layout() const {
  std::array<wg::LayoutEntry, 2> entries;
  entries[0].buffer.type = wg::BufferBinding::storage;
  entries[1].binding = 1;
  entries[1].buffer.type = wg::BufferBinding::uniform;
  wg::BindGroupLayoutDescriptor wanted;
  wanted.count = entries.size();
  wanted.entries = entries.data();
  return api_.DeviceCreateBindGroupLayout(device_, &wanted);
}

wg::BindGroup DirectWebGpu::make_group(wg::BindGroupLayout layout, std::size_t size) const {
  std::array<wg::GroupEntry, 2> entries;
  entries[0].buffer = memory_;
  entries[0].size = size;
  entries[1].binding = 1;
  entries[1].buffer = scalars_;
  entries[1].size = sizeof(std::uint32_t);
  wg::BindGroupDescriptor wanted;
  wanted.layout = layout;
  wanted.count = entries.size();
  wanted.entries = entries.data();
  return api_.DeviceCreateBindGroup(device_, &wanted);
}

Result<std::vector<std::uint32_t>> DirectWebGpu::turn(std::uint32_t rounds) {
  std::vector<std::uint32_t> values(turn_group);
  const std::size_t size = values.size() * sizeof(std::uint32_t);
  PINTLE_TRY(allocate(size));
  PINTLE_ASSIGN(scalars, make_buffer(wg::buffer_usage::uniform | wg::buffer_usage::copy_target, sizeof rounds));
  scalars_ = scalars;
  api_.QueueWriteBuffer(queue_, memory_, 0, values.data(), size);
  api_.QueueWriteBuffer(queue_, scalars_, 0, &rounds, sizeof rounds);
  const wg::BindGroupLayout layout = make_layout();
  PINTLE_TRY(make_pipeline("bench_turn", &layout));
  group_ = make_group(layout, size);
  api_.BindGroupLayoutRelease(layout);
  launches_ = 1;
  PINTLE_TRY(submit());
  PINTLE_TRY(download(std::as_writable_bytes(std::span(values))));
  return values;
}

std::vector<wg::Adapter> adapters_of(const Library& library) {
  const wg::Table& api = library.api;
  if (api.InstanceEnumerateAdapters != nullptr) {
    std::vector<wg::Adapter> all(api.InstanceEnumerateAdapters(library.instance, nullptr, nullptr));
    api.InstanceEnumerateAdapters(library.instance, nullptr, all.data());
    return all;
  }
  const wg::AdapterOptions options;
  Answer<wg::Adapter> answer;
  wg::AdapterCallback callback;
  callback.call = &Answer<wg::Adapter>::take;
  callback.first = &answer;
  api.InstanceRequestAdapter(library.instance, &options, callback);
  while (!answer.has_come) api.InstanceProcessEvents(library.instance);
  return answer.handle == nullptr ? std::vector<wg::Adapter>() : std::vector{answer.handle};
}

/// The mark is what Pintle's driver says: the implementation, and the adapter's own words.
bool is_target(const Library& library, wg::Adapter adapter, const Target& target) {
  wg::AdapterInfo info;
  if (library.api.AdapterGetInfo(adapter, &info) != wg::Status::success) return false;
  const bool is_implementation = target.mark.starts_with("wgpu-native ") == (library.api.DevicePoll != nullptr);
  const std::string_view name = info.device.text().empty() ? info.description.text() : info.device.text();
  const bool is_it = is_implementation && info.backend != wg::BackendType::null && name == target.name &&
                     target.mark.find(info.description.text()) != std::string::npos;
  library.api.AdapterInfoFreeMembers(info);
  return is_it;
}

/// Opens the target where this library has it. Counts those that are like it and before it.
Result<std::unique_ptr<Direct>> open_in(const Library& library, const Target& target, std::size_t& before) {
  std::unique_ptr<DirectWebGpu> direct;
  std::optional<Error> failure;
  for (const wg::Adapter adapter : adapters_of(library)) {
    if (direct == nullptr && is_target(library, adapter, target) && before++ == target.before) {
      direct = std::make_unique<DirectWebGpu>(library);
      if (const auto opened = direct->open(adapter); !opened) failure = opened.error();
    }
    library.api.AdapterRelease(adapter);
  }
  if (failure) return *failure;
  return std::unique_ptr<Direct>(std::move(direct));
}

}  // namespace

Result<std::unique_ptr<Direct>> open_direct_webgpu(const Target& target) {
  const char* const named = base::variable("PINTLE_WEBGPU");
  if (named == nullptr)
    return Error(Errc::unsupported, "PINTLE_WEBGPU names no library, from which alone the reference takes its own.");
  std::string_view rest = named;
  std::size_t before = 0;
  while (!rest.empty()) {
    const std::string path(rest.substr(0, rest.find(':')));
    rest.remove_prefix(std::min(path.size() + 1, rest.size()));
    PINTLE_ASSIGN(library, Library::open(path));
    PINTLE_ASSIGN(direct, open_in(*library, target, before));
    if (direct != nullptr) return std::move(direct);
  }
  return Error(Errc::not_found, fmt::format("The reference finds no adapter {} of {} with ({}) before it.",
                                            base::quote(target.name), base::quote(target.mark), target.before));
}

}  // namespace pintle::bench
