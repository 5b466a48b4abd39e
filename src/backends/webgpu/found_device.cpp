#include "backends/webgpu/found_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/webgpu/answer.h"
#include "base/file.h"
#include "base/hash.h"
#include "spirv/glsl_program.h"

namespace pintle::webgpu {
namespace {

/// An implementation may give what computes nothing where it finds no hardware that it likes.
bool computes(const wg::Table& api, wg::Adapter adapter) {
  wg::AdapterInfo info;
  if (api.AdapterGetInfo(adapter, &info) != wg::Status::success) return false;
  const bool is_null = info.backend == wg::BackendType::null;
  api.AdapterInfoFreeMembers(info);
  return !is_null;
}

Result<std::vector<Owned<wg::Adapter>>> adapters_of(const Implementation& implementation) {
  const wg::Table& api = implementation.api;
  std::vector<Owned<wg::Adapter>> all;
  if (api.InstanceEnumerateAdapters != nullptr) {
    std::vector<wg::Adapter> listed(api.InstanceEnumerateAdapters(implementation.instance, nullptr, nullptr));
    api.InstanceEnumerateAdapters(implementation.instance, nullptr, listed.data());
    for (const wg::Adapter adapter : listed) all.emplace_back(api, adapter);
    return all;
  }
  const wg::AdapterOptions options;
  const auto adapter = ask<wg::Adapter>(implementation, [&](const wg::AdapterCallback& callback) {
    api.InstanceRequestAdapter(implementation.instance, &options, callback);
  });
  if (!adapter) {
    return Error(Errc::unavailable,
                 fmt::format("Library {} gives no adapter: {}", api.library.name(), adapter.error().message()));
  }
  all.emplace_back(api, *adapter);
  return all;
}

DeviceKind kind_of(wg::AdapterType type) noexcept {
  switch (type) {
    case wg::AdapterType::discrete_gpu: return DeviceKind::discrete_gpu;
    case wg::AdapterType::integrated_gpu: return DeviceKind::integrated_gpu;
    case wg::AdapterType::cpu: return DeviceKind::software;
    default: return DeviceKind::accelerator;
  }
}

std::string_view name_of(wg::BackendType type) noexcept {
  switch (type) {
    case wg::BackendType::vulkan: return "Vulkan";
    case wg::BackendType::opengl: return "OpenGL";
    case wg::BackendType::opengles: return "OpenGL ES";
    case wg::BackendType::webgpu: return "a browser";
    default: return "another interface";
  }
}

/// "wgpu-native 29.0.1.1", or what the library is called.
std::string implementation_name(const wg::Table& api) {
  if (api.GetVersion == nullptr) return "Dawn";
  const std::uint32_t version = api.GetVersion();
  return fmt::format("wgpu-native {}.{}.{}.{}", version >> 24, version >> 16 & 0xff, version >> 8 & 0xff,
                     version & 0xff);
}

/// The hash of vendor, device and driver: WebGPU has no ids. Two adapters that are alike get the same uuid.
std::string uuid_of(const wg::AdapterInfo& info, const std::string& driver) {
  const std::string all = fmt::format("{:x}:{:x} {} {}", info.vendor_id, info.device_id, info.device.text(), driver);
  return base::hex(base::sha256(base::bytes_in(all))).substr(0, 32);
}

bool has_subgroups(const Abilities& abilities) noexcept {
  return abilities.has(wg::Feature::subgroups) || abilities.has(wg::Feature::native_subgroup);
}

/// wgpu-native 29 tells no sizes: then they are those between which WebGPU has all of them.
void add_subgroups(const wg::Table& api, wg::Adapter adapter, Abilities& abilities) {
  constexpr std::uint32_t least = 4, most = 128;
  wg::AdapterInfo info;
  if (!has_subgroups(abilities) || api.AdapterGetInfo(adapter, &info) != wg::Status::success) return;
  abilities.min_subgroup = info.subgroup_min_size != 0 ? info.subgroup_min_size : least;
  abilities.max_subgroup = info.subgroup_max_size != 0 ? info.subgroup_max_size : most;
  api.AdapterInfoFreeMembers(info);
}

Abilities abilities_of(const Implementation& implementation, wg::Adapter adapter) {
  const wg::Table& api = implementation.api;
  constexpr std::array wanted{wg::Feature::timestamp_query,
                              wg::Feature::shader_f16,
                              wg::Feature::subgroups,
                              wg::Feature::native_immediates,
                              wg::Feature::native_subgroup,
                              wg::Feature::native_f32_atomic,
                              wg::Feature::dawn_implicit_synchronization};
  Abilities abilities;
  api.AdapterGetLimits(adapter, &abilities.limits);
  abilities.limits.next = nullptr;
  for (const wg::Feature feature : wanted) {
    if (api.AdapterHasFeature(adapter, feature) != 0) abilities.features.push_back(feature);
  }
  const bool needs_feature = implementation.polls_devices();
  if (api.ComputePassEncoderSetImmediates != nullptr &&
      (!needs_feature || abilities.has(wg::Feature::native_immediates)))
    abilities.push_bytes = abilities.limits.max_immediate_size;
  add_subgroups(api, adapter, abilities);
  return abilities;
}

Limits limits_of(const Abilities& abilities) {
  const wg::Limits& from = abilities.limits;
  constexpr std::uint64_t granularity = 16;
  Limits limits;
  limits.max_allocation = from.max_buffer_size / granularity * granularity;
  limits.max_binding = std::min(from.max_storage_binding / granularity * granularity, limits.max_allocation);
  limits.offset_alignment = std::max(from.min_storage_alignment, std::uint32_t{4});
  limits.max_grid = {from.max_workgroups, from.max_workgroups, from.max_workgroups};
  limits.max_group = {from.max_workgroup_x, from.max_workgroup_y, from.max_workgroup_z};
  limits.max_group_items = from.max_workgroup_invocations;
  limits.max_local_bytes = from.max_workgroup_storage;
  limits.max_buffers = std::min(from.max_storage_buffers, from.max_bindings_per_bind_group);
  limits.max_scalar_bytes =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(from.max_uniform_binding, most_scalar_bytes));
  limits.max_in_flight = max_in_flight;
  limits.min_subgroup = abilities.min_subgroup;
  limits.max_subgroup = abilities.max_subgroup;
  return limits;
}

Capability immediates_row(const Abilities& abilities) {
  if (abilities.push_bytes != 0)
    return {Feature::immediates, Support::native,
            fmt::format("{} bytes; a uniform block holds more", abilities.push_bytes)};
  return {Feature::immediates, Support::emulated,
          "the implementation has none: the scalars lie in a uniform block, written at each launch"};
}

Capability subgroups_row(const Abilities& abilities) {
  if (abilities.has(wg::Feature::subgroups))
    return {Feature::subgroups, Support::native, "WGSL says `enable subgroups;`"};
  if (abilities.has(wg::Feature::native_subgroup))
    return {Feature::subgroups, Support::native, "wgpu-native refuses the line `enable subgroups;` in WGSL"};
  return {Feature::subgroups, Support::absent, "the adapter lacks subgroups"};
}

std::vector<Capability> capabilities_of(const Implementation& implementation, const Abilities& abilities) {
  using enum Feature;
  const bool ends_with_device = implementation.polls_devices();
  const bool has_time = abilities.has(wg::Feature::timestamp_query);
  const bool has_atomics = abilities.has(wg::Feature::native_f32_atomic);
  return {
      {execution, Support::native,
       ends_with_device ? "where the driver loses the device, wgpu-native ends the process; Dawn does not" : ""},
      {copy_queue, Support::emulated, "a device of WebGPU has one queue, so these queues share it"},
      {host_call, Support::emulated,
       "WebGPU runs no host code: a thread of the backend cuts the submission there, waits and calls"},
      {timestamp, has_time ? Support::native : Support::absent, has_time ? "" : "the adapter lacks timestamp-query"},
      {indirect, Support::native, "a small kernel clamps the counts before"},
      {mapped_memory, Support::absent, "WebGPU gives no host address of memory that a kernel uses"},
      {recording, Support::absent, "command buffers of WebGPU are submitted once: the list is encoded again"},
      {notification, Support::native, "by a thread of the backend, which polls while work is in flight"},
      {host_import, Support::absent, "WebGPU uses no memory of the host in place"},
      {memory_export, Support::absent, "WebGPU has no handles of memory"},
      {calibration, Support::absent, "WebGPU relates no clocks"},
      {constants, Support::native, "pipeline-overridable constants, by name"},
      {local_arguments, Support::absent, "a shader's workgroup memory has its size when it is loaded: use a constant"},
      {float_atomics, has_atomics ? Support::native : Support::absent,
       has_atomics ? "" : "WGSL has no atomic floats, and the adapter no extension for them"},
      {bounds, Support::absent, "accesses outside are clamped by the implementation, and told to nobody"},
      {images, Support::absent, "textures of WebGPU are not bound yet"},
      {texel_buffers, Support::absent, "WebGPU has no texel buffers"},
      immediates_row(abilities),
      subgroups_row(abilities),
      {subgroup_matrices, Support::absent, "Pintle asks for no such extension: WebGPU itself has none"},
      {optional_buffers, Support::absent, "each place of a bind group has a buffer"},
  };
}

DeviceInfo describe(const Implementation& implementation, wg::Adapter adapter, const Abilities& abilities) {
  wg::AdapterInfo from;
  implementation.api.AdapterGetInfo(adapter, &from);
  DeviceInfo info;
  info.backend = "webgpu";
  info.name = from.device.text().empty() ? from.description.text() : from.device.text();
  info.driver = implementation_name(implementation.api);
  info.driver += fmt::format(" over {}", name_of(from.backend));
  for (const std::string_view words : {from.vendor.text(), from.architecture.text(), from.description.text()}) {
    if (!words.empty()) info.driver += fmt::format(", {}", words);
  }
  info.uuid = uuid_of(from, info.driver);
  info.kind = kind_of(from.type);
  info.progress = Progress::own;
  info.formats = {"wgsl", "spirv"};  // an implementation that does not take SPIR-V refuses the module
  if (can_compile_glsl()) info.formats.emplace_back("glsl");
  else info.absent_formats.emplace_back("glsl", "Install the package glslang-tools or glslc.");
  info.limits = limits_of(abilities);
  info.capabilities = capabilities_of(implementation, abilities);
  implementation.api.AdapterInfoFreeMembers(from);
  return info;
}

}  // namespace

bool Abilities::has(wg::Feature feature) const noexcept {
  return std::ranges::find(features, feature) != features.end();
}

bool can_compile_glsl() {
  static const bool can = spirv::find_glsl_program().has_value();
  return can;
}

Result<Owned<wg::Adapter>> adapter_of(const Implementation& implementation, std::uint32_t index) {
  PINTLE_ASSIGN(all, adapters_of(implementation));
  if (index < all.size()) return std::move(all[index]);
  return Error(Errc::unavailable, fmt::format("Library {} lists ({}) adapters now, and adapter ({}) is wanted.",
                                              implementation.api.library.name(), all.size(), index));
}

FoundDevices find_devices() {
  FoundDevices found;
  const Implementations& opened = implementations();
  found.absences = opened.absences;
  for (const Implementation* const implementation : opened.all) {
    const auto adapters = adapters_of(*implementation);
    const std::string why(adapters ? "it lists no adapter that computes." : adapters.error().message());
    const std::size_t before = found.devices.size();
    for (std::uint32_t index = 0; adapters && index < adapters->size(); ++index) {
      const wg::Adapter adapter = (*adapters)[index].get();
      if (!computes(implementation->api, adapter)) continue;
      FoundDevice device{implementation, index, abilities_of(*implementation, adapter), {}};
      device.info = describe(*implementation, adapter, device.abilities);
      device.abilities.computes_on_host = device.info.kind == DeviceKind::software;
      device.info.id = fmt::format("webgpu:{}", found.devices.size());
      found.devices.push_back(std::move(device));
    }
    if (found.devices.size() == before)
      found.absences.push_back({"webgpu", fmt::format("Library {}: {}", implementation->api.library.name(), why),
                                "Install a driver of Vulkan (Debian: mesa-vulkan-drivers)."});
  }
  return found;
}

}  // namespace pintle::webgpu
