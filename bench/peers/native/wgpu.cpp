// wgpu-native's C API on its Vulkan backend, linked with the library of the wgpu wheel.
#include <webgpu.h>
#include <wgpu.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <stdexcept>

#include "bench/peers/native/values.h"
#include "bench/peers/native/worker.h"

namespace peers {
namespace {

constexpr const char* saxpy_text = R"(
struct Scalars { a: f32, n: u32 };
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<uniform> scalars: Scalars;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.x + id.y * groups.x * 256u;
  if (i < scalars.n) { y[i] = scalars.a * x[i] + y[i]; }
})";

constexpr const char* counter_text = R"(
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1)
fn main() { y[0] = y[0] + 1.0; })";

constexpr auto device_usage = WGPUBufferUsage_Storage | WGPUBufferUsage_CopyDst | WGPUBufferUsage_CopySrc;

WGPUStringView view_of(const char* text) { return {text, std::strlen(text)}; }

WGPUAdapter request_adapter(WGPUInstance instance) {
  WGPUAdapter adapter = nullptr;
  WGPURequestAdapterOptions options{};
  options.backendType = WGPUBackendType_Vulkan;
  WGPURequestAdapterCallbackInfo then{};
  then.mode = WGPUCallbackMode_AllowProcessEvents;
  then.userdata1 = &adapter;
  then.callback = [](WGPURequestAdapterStatus, WGPUAdapter found, WGPUStringView, void* to, void*) {
    *static_cast<WGPUAdapter*>(to) = found;
  };
  wgpuInstanceRequestAdapter(instance, &options, then);
  wgpuInstanceProcessEvents(instance);
  if (!adapter) throw std::runtime_error("wgpu finds no Vulkan adapter");
  return adapter;
}

WGPUDevice request_device(WGPUInstance instance, WGPUAdapter adapter) {
  WGPUDevice device = nullptr;
  WGPUDeviceDescriptor descriptor{};
  WGPURequestDeviceCallbackInfo then{};
  then.mode = WGPUCallbackMode_AllowProcessEvents;
  then.userdata1 = &device;
  then.callback = [](WGPURequestDeviceStatus, WGPUDevice made, WGPUStringView, void* to, void*) {
    *static_cast<WGPUDevice*>(to) = made;
  };
  wgpuAdapterRequestDevice(adapter, &descriptor, then);
  wgpuInstanceProcessEvents(instance);
  if (!device) throw std::runtime_error("wgpu makes no device");
  return device;
}

/// The library frees the objects when the process ends.
class WgpuPeer final : public Peer {
 public:
  [[nodiscard]] std::string about() const override {
    WGPUAdapterInfo info{};
    wgpuAdapterGetInfo(adapter_, &info);
    return "wgpu-native C API, Vulkan on " + std::string(info.device.data, info.device.length);
  }

  void add_saxpy(std::size_t elements) override {
    const auto count = static_cast<std::uint32_t>(elements);
    const struct {
      float a;
      std::uint32_t n;
    } scalars{factor, count};
    WGPUBuffer uniform = create_buffer(sizeof scalars, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst);
    wgpuQueueWriteBuffer(queue_, uniform, 0, &scalars, sizeof scalars);
    WGPUBuffer x = create_buffer(make_x(elements)), y = create_buffer(make_y(elements));
    pairs_.push_back({count, y, create_group(saxpy_, {x, y, uniform})});
  }
  void saxpy(std::size_t index) override {
    constexpr std::uint32_t row = 32768;
    const std::uint32_t groups = (pairs_[index].elements + 255) / 256;
    dispatch(saxpy_, pairs_[index].group, std::min(groups, row), (groups + row - 1) / row, 1);
  }
  std::vector<float> y(std::size_t index) override { return values(pairs_[index].y, pairs_[index].elements); }

  void prepare() override {
    counter_pipeline_ = create_pipeline(counter_text);
    counter_ = create_buffer({0.0F});
    counter_group_ = create_group(counter_pipeline_, {counter_});
    far_ = create_buffer(transfer_floats * sizeof(float), device_usage);
    grow_staging(transfer_floats * sizeof(float));
  }
  void launch() override { dispatch(counter_pipeline_, counter_group_, 1, 1, 1); }
  void chain() override { dispatch(counter_pipeline_, counter_group_, 1, 1, chain_length); }
  float counter() override { return values(counter_, 1)[0]; }
  void upload(const std::vector<float>& from) override {
    wgpuQueueWriteBuffer(queue_, far_, 0, from.data(), from.size() * sizeof(float));
    wgpuQueueSubmit(queue_, 0, nullptr);
    finish();
  }
  void download(std::vector<float>& to) override { read(far_, to); }

 private:
  struct Pair {
    std::uint32_t elements;
    WGPUBuffer y;
    WGPUBindGroup group;
  };

  WGPUBuffer create_buffer(std::size_t bytes, WGPUBufferUsage usage) {
    WGPUBufferDescriptor descriptor{};
    descriptor.size = bytes;
    descriptor.usage = usage;
    return wgpuDeviceCreateBuffer(device_, &descriptor);
  }
  WGPUBuffer create_buffer(const std::vector<float>& from) {
    WGPUBuffer made = create_buffer(from.size() * sizeof(float), device_usage);
    wgpuQueueWriteBuffer(queue_, made, 0, from.data(), from.size() * sizeof(float));
    return made;
  }

  WGPUComputePipeline create_pipeline(const char* text) {
    WGPUShaderSourceWGSL source{};
    source.chain.sType = WGPUSType_ShaderSourceWGSL;
    source.code = view_of(text);
    WGPUShaderModuleDescriptor module{};
    module.nextInChain = &source.chain;
    WGPUComputePipelineDescriptor pipeline{};
    pipeline.compute.module = wgpuDeviceCreateShaderModule(device_, &module);
    pipeline.compute.entryPoint = view_of("main");
    return wgpuDeviceCreateComputePipeline(device_, &pipeline);
  }

  WGPUBindGroup create_group(WGPUComputePipeline pipeline, std::initializer_list<WGPUBuffer> buffers) {
    std::vector<WGPUBindGroupEntry> entries;
    for (WGPUBuffer buffer : buffers) {
      WGPUBindGroupEntry entry{};
      entry.binding = static_cast<std::uint32_t>(entries.size());
      entry.buffer = buffer;
      entry.size = wgpuBufferGetSize(buffer);
      entries.push_back(entry);
    }
    WGPUBindGroupDescriptor descriptor{};
    descriptor.layout = wgpuComputePipelineGetBindGroupLayout(pipeline, 0);
    descriptor.entryCount = entries.size();
    descriptor.entries = entries.data();
    return wgpuDeviceCreateBindGroup(device_, &descriptor);
  }

  void dispatch(WGPUComputePipeline pipeline, WGPUBindGroup group, std::uint32_t x, std::uint32_t y, long times) {
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device_, nullptr);
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, nullptr);
    wgpuComputePassEncoderSetPipeline(pass, pipeline);
    wgpuComputePassEncoderSetBindGroup(pass, 0, group, 0, nullptr);
    for (long i = 0; i < times; ++i) wgpuComputePassEncoderDispatchWorkgroups(pass, x, y, 1);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    submit(encoder);
    finish();
  }
  void submit(WGPUCommandEncoder encoder) {
    WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, nullptr);
    wgpuQueueSubmit(queue_, 1, &commands);
    wgpuCommandBufferRelease(commands);
    wgpuCommandEncoderRelease(encoder);
  }
  void finish() { wgpuDevicePoll(device_, true, nullptr); }

  void grow_staging(std::size_t bytes) {
    if (bytes <= staging_bytes_) return;
    staging_ = create_buffer(bytes, WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst);
    staging_bytes_ = bytes;
  }
  std::vector<float> values(WGPUBuffer from, std::size_t elements) {
    std::vector<float> to(elements);
    read(from, to);
    return to;
  }
  void read(WGPUBuffer from, std::vector<float>& to) {
    const std::size_t bytes = to.size() * sizeof(float);
    grow_staging(bytes);
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(device_, nullptr);
    wgpuCommandEncoderCopyBufferToBuffer(encoder, from, 0, staging_, 0, bytes);
    submit(encoder);
    map_staging(bytes);
    std::memcpy(to.data(), wgpuBufferGetConstMappedRange(staging_, 0, bytes), bytes);
    wgpuBufferUnmap(staging_);
  }
  void map_staging(std::size_t bytes) {
    WGPUMapAsyncStatus status{};
    WGPUBufferMapCallbackInfo then{};
    then.mode = WGPUCallbackMode_AllowProcessEvents;
    then.userdata1 = &status;
    then.callback = [](WGPUMapAsyncStatus result, WGPUStringView, void* to, void*) {
      *static_cast<WGPUMapAsyncStatus*>(to) = result;
    };
    wgpuBufferMapAsync(staging_, WGPUMapMode_Read, 0, bytes, then);
    finish();
    while (status == WGPUMapAsyncStatus{}) wgpuInstanceProcessEvents(instance_);
    if (status != WGPUMapAsyncStatus_Success) throw std::runtime_error("wgpu does not map the buffer");
  }

  WGPUInstance instance_ = wgpuCreateInstance(nullptr);
  WGPUAdapter adapter_ = request_adapter(instance_);
  WGPUDevice device_ = request_device(instance_, adapter_);
  WGPUQueue queue_ = wgpuDeviceGetQueue(device_);
  WGPUComputePipeline saxpy_ = create_pipeline(saxpy_text);
  WGPUComputePipeline counter_pipeline_ = nullptr;
  std::vector<Pair> pairs_;
  WGPUBuffer counter_ = nullptr, far_ = nullptr, staging_ = nullptr;
  WGPUBindGroup counter_group_ = nullptr;
  std::size_t staging_bytes_ = 0;
};

}  // namespace
}  // namespace peers

int main(int count, char** arguments) {
  return peers::worker_main(count, arguments, [](auto) { return std::make_unique<peers::WgpuPeer>(); });
}
