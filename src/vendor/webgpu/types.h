// The types and numbers of WebGPU's C interface (webgpu.h) that are used. wgpu-native and Dawn lay them out alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pintle::vendor::webgpu {

// What handles point to belongs to the implementation.
struct InstanceObject;
struct AdapterObject;
struct DeviceObject;
struct QueueObject;
struct BufferObject;
struct ShaderModuleObject;
struct BindGroupLayoutObject;
struct BindGroupObject;
struct PipelineLayoutObject;
struct ComputePipelineObject;
struct CommandEncoderObject;
struct ComputePassObject;
struct CommandBufferObject;
struct QuerySetObject;
using Instance = InstanceObject*;                // WGPUInstance
using Adapter = AdapterObject*;                  // WGPUAdapter
using Device = DeviceObject*;                    // WGPUDevice
using Queue = QueueObject*;                      // WGPUQueue
using Buffer = BufferObject*;                    // WGPUBuffer
using ShaderModule = ShaderModuleObject*;        // WGPUShaderModule
using BindGroupLayout = BindGroupLayoutObject*;  // WGPUBindGroupLayout
using BindGroup = BindGroupObject*;              // WGPUBindGroup
using PipelineLayout = PipelineLayoutObject*;    // WGPUPipelineLayout
using ComputePipeline = ComputePipelineObject*;  // WGPUComputePipeline
using CommandEncoder = CommandEncoderObject*;    // WGPUCommandEncoder
using ComputePass = ComputePassObject*;          // WGPUComputePassEncoder
using CommandBuffer = CommandBufferObject*;      // WGPUCommandBuffer
using QuerySet = QuerySetObject*;                // WGPUQuerySet

using Bool = std::uint32_t;   // WGPUBool
using Flags = std::uint64_t;  // WGPUFlags

/// Text with a length; a length of `to_the_end` ends with a zero.
struct StringView {
  static constexpr std::size_t to_the_end = ~std::size_t{0};

  const char* data = nullptr;
  std::size_t length = to_the_end;

  StringView() = default;
  StringView(std::string_view text) noexcept : data(text.data()), length(text.size()) {}
  [[nodiscard]] std::string_view text() const noexcept {
    if (data == nullptr) return {};
    return length == to_the_end ? std::string_view(data) : std::string_view(data, length);
  }
};

/// WGPUSType: what a chained struct is. From 0x30000 on, wgpu-native's own.
enum class Kind : std::uint32_t {
  spirv_source = 1,
  wgsl_source = 2,
  instance_extras = 0x30004,
};

struct Chained {
  Chained* next = nullptr;
  Kind kind{};
};

struct Future {
  std::uint64_t id = 0;
};

enum class CallbackMode : std::uint32_t { wait_any_only = 1, allow_process_events = 2, allow_spontaneous = 3 };
enum class Status : std::uint32_t { success = 1, error = 2 };
enum class ErrorType : std::uint32_t { none = 1, validation = 2, out_of_memory = 3, internal = 4, unknown = 5 };
enum class ErrorFilter : std::uint32_t { validation = 1, out_of_memory = 2, internal = 3 };
enum class LostReason : std::uint32_t { unknown = 1, destroyed = 2, callback_cancelled = 3, failed_creation = 4 };
enum class BackendType : std::uint32_t { undefined = 0, null = 1, webgpu = 2, vulkan = 6, opengl = 7, opengles = 8 };
enum class AdapterType : std::uint32_t { discrete_gpu = 1, integrated_gpu = 2, cpu = 3, unknown = 4 };

/// WGPUFeatureName. From 0x30000 on, wgpu-native's own; from 0x50000 on, Dawn's.
enum class Feature : std::uint32_t {
  timestamp_query = 0x9,
  shader_f16 = 0xb,
  subgroups = 0x12,
  native_immediates = 0x30001,
  native_subgroup = 0x30021,
  native_f32_atomic = 0x30027,
  dawn_implicit_synchronization = 0x50004,
};
enum class InstanceFeature : std::uint32_t { timed_wait_any = 1, spirv_source = 2 };

enum class FeatureLevel : std::uint32_t { undefined = 0, compatibility = 1, core = 2 };
enum class PowerPreference : std::uint32_t { undefined = 0, low = 1, high = 2 };

namespace buffer_usage {
inline constexpr Flags map_read = 0x1;
inline constexpr Flags map_write = 0x2;
inline constexpr Flags copy_source = 0x4;
inline constexpr Flags copy_target = 0x8;
inline constexpr Flags uniform = 0x40;
inline constexpr Flags storage = 0x80;
inline constexpr Flags indirect = 0x100;
inline constexpr Flags query_resolve = 0x200;
}  // namespace buffer_usage
inline constexpr Flags map_mode_read = 0x1;
inline constexpr Flags compute_stage = 0x4;
inline constexpr std::uint32_t no_query = ~std::uint32_t{0};
inline constexpr std::uint32_t timestamp_query_type = 2;

struct InstanceLimits {
  Chained* next = nullptr;
  std::size_t timed_wait_any_max_count = 0;
};
struct InstanceDescriptor {
  Chained* next = nullptr;
  std::size_t feature_count = 0;
  const InstanceFeature* features = nullptr;
  const InstanceLimits* limits = nullptr;
};
/// wgpu-native's WGPUInstanceExtras, from its beginning as far as it is set here; the rest is zero.
struct InstanceExtras {
  static constexpr Flags primary = 0x2d;  ///< Vulkan, Metal, Direct3D 12 and the browser's: not OpenGL.
  Chained chain{nullptr, Kind::instance_extras};
  Flags backends = 0;
  Flags flags = 0;
  std::uint64_t rest[32] = {};
};

struct AdapterOptions {
  Chained* next = nullptr;
  FeatureLevel level = FeatureLevel::core;
  PowerPreference power = PowerPreference::undefined;
  Bool force_fallback = 0;
  BackendType backend = BackendType::undefined;
  void* surface = nullptr;
};
struct AdapterInfo {
  Chained* next = nullptr;
  StringView vendor, architecture, device, description;
  BackendType backend{};
  AdapterType type{};
  std::uint32_t vendor_id = 0;
  std::uint32_t device_id = 0;
  std::uint32_t subgroup_min_size = 0;
  std::uint32_t subgroup_max_size = 0;
};
struct Limits {
  Chained* next = nullptr;
  std::uint32_t max_texture_1d = 0;
  std::uint32_t max_texture_2d = 0;
  std::uint32_t max_texture_3d = 0;
  std::uint32_t max_texture_array_layers = 0;
  std::uint32_t max_bind_groups = 0;
  std::uint32_t max_bind_groups_plus_vertex_buffers = 0;
  std::uint32_t max_bindings_per_bind_group = 0;
  std::uint32_t max_dynamic_uniform_buffers = 0;
  std::uint32_t max_dynamic_storage_buffers = 0;
  std::uint32_t max_sampled_textures = 0;
  std::uint32_t max_samplers = 0;
  std::uint32_t max_storage_buffers = 0;
  std::uint32_t max_storage_textures = 0;
  std::uint32_t max_uniform_buffers = 0;
  std::uint64_t max_uniform_binding = 0;
  std::uint64_t max_storage_binding = 0;
  std::uint32_t min_uniform_alignment = 0;
  std::uint32_t min_storage_alignment = 0;
  std::uint32_t max_vertex_buffers = 0;
  std::uint64_t max_buffer_size = 0;
  std::uint32_t max_vertex_attributes = 0;
  std::uint32_t max_vertex_array_stride = 0;
  std::uint32_t max_inter_stage_variables = 0;
  std::uint32_t max_color_attachments = 0;
  std::uint32_t max_color_attachment_bytes = 0;
  std::uint32_t max_workgroup_storage = 0;
  std::uint32_t max_workgroup_invocations = 0;
  std::uint32_t max_workgroup_x = 0;
  std::uint32_t max_workgroup_y = 0;
  std::uint32_t max_workgroup_z = 0;
  std::uint32_t max_workgroups = 0;
  std::uint32_t max_immediate_size = 0;
};
struct SupportedFeatures {
  std::size_t count = 0;
  const Feature* features = nullptr;
};

/// A callback and the two pointers that it is given back, behind its own arguments.
template <class... Arguments>
struct Callback {
  Chained* next = nullptr;
  CallbackMode mode = CallbackMode::allow_process_events;
  void (*call)(Arguments..., void* first, void* second) = nullptr;
  void* first = nullptr;
  void* second = nullptr;
};
using AdapterCallback = Callback<std::uint32_t, Adapter, StringView>;
using DeviceCallback = Callback<std::uint32_t, Device, StringView>;
using LostCallback = Callback<const Device*, LostReason, StringView>;
using ScopeCallback = Callback<std::uint32_t, ErrorType, StringView>;
using WorkCallback = Callback<std::uint32_t, StringView>;
using MapCallback = Callback<std::uint32_t, StringView>;
/// The one callback without a mode.
struct ErrorCallback {
  Chained* next = nullptr;
  void (*call)(const Device*, ErrorType, StringView, void* first, void* second) = nullptr;
  void* first = nullptr;
  void* second = nullptr;
};
/// What each of these callbacks is told first.
inline constexpr std::uint32_t succeeded = 1;

struct Labelled {
  Chained* next = nullptr;
  StringView label;
};
struct DeviceDescriptor {
  Chained* next = nullptr;
  StringView label;
  std::size_t feature_count = 0;
  const Feature* features = nullptr;
  const Limits* limits = nullptr;
  Labelled queue;
  LostCallback lost;
  ErrorCallback error;
};

struct BufferDescriptor {
  Chained* next = nullptr;
  StringView label;
  Flags usage = 0;
  std::uint64_t size = 0;
  Bool mapped_at_creation = 0;
};

struct WgslSource {
  Chained chain{nullptr, Kind::wgsl_source};
  StringView code;
};
struct SpirvSource {
  Chained chain{nullptr, Kind::spirv_source};
  std::uint32_t words = 0;
  const std::uint32_t* code = nullptr;
};

struct ConstantEntry {
  Chained* next = nullptr;
  StringView key;
  double value = 0;
};
struct ComputeState {
  Chained* next = nullptr;
  ShaderModule module = nullptr;
  StringView entry_point;
  std::size_t constant_count = 0;
  const ConstantEntry* constants = nullptr;
};
struct ComputePipelineDescriptor {
  Chained* next = nullptr;
  StringView label;
  PipelineLayout layout = nullptr;
  ComputeState compute;
};

enum class BufferBinding : std::uint32_t { not_used = 0, uniform = 2, storage = 3, read_only_storage = 4 };
struct BufferLayout {
  Chained* next = nullptr;
  BufferBinding type = BufferBinding::not_used;
  Bool has_dynamic_offset = 0;
  std::uint64_t min_size = 0;
};
struct SamplerLayout {
  Chained* next = nullptr;
  std::uint32_t type = 0;
};
struct TextureLayout {
  Chained* next = nullptr;
  std::uint32_t sample_type = 0;
  std::uint32_t dimension = 0;
  Bool multisampled = 0;
};
struct StorageTextureLayout {
  Chained* next = nullptr;
  std::uint32_t access = 0;
  std::uint32_t format = 0;
  std::uint32_t dimension = 0;
};
struct LayoutEntry {
  Chained* next = nullptr;
  std::uint32_t binding = 0;
  Flags visibility = compute_stage;
  std::uint32_t array_size = 0;
  BufferLayout buffer;
  SamplerLayout sampler;
  TextureLayout texture;
  StorageTextureLayout storage_texture;
};
struct BindGroupLayoutDescriptor {
  Chained* next = nullptr;
  StringView label;
  std::size_t count = 0;
  const LayoutEntry* entries = nullptr;
};
struct PipelineLayoutDescriptor {
  Chained* next = nullptr;
  StringView label;
  std::size_t count = 0;
  const BindGroupLayout* groups = nullptr;
  std::uint32_t immediate_size = 0;
};
struct GroupEntry {
  Chained* next = nullptr;
  std::uint32_t binding = 0;
  Buffer buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  void* sampler = nullptr;
  void* texture_view = nullptr;
};
struct BindGroupDescriptor {
  Chained* next = nullptr;
  StringView label;
  BindGroupLayout layout = nullptr;
  std::size_t count = 0;
  const GroupEntry* entries = nullptr;
};

struct TimestampWrites {
  Chained* next = nullptr;
  QuerySet queries = nullptr;
  std::uint32_t at_begin = no_query;
  std::uint32_t at_end = no_query;
};
struct ComputePassDescriptor {
  Chained* next = nullptr;
  StringView label;
  const TimestampWrites* timestamps = nullptr;
};
struct QuerySetDescriptor {
  Chained* next = nullptr;
  StringView label;
  std::uint32_t type = timestamp_query_type;
  std::uint32_t count = 0;
};

}  // namespace pintle::vendor::webgpu
