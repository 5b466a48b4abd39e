// A physical device as core lists it: identity, limits, and a row of truth for each feature.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "backends/vulkan/memory_types.h"
#include "backends/vulkan/physical.h"
#include "kit/device_clock.h"
#include "kit/tried_allocation.h"
#include "vendor/vulkan/subgroups.h"

namespace pintle::vulkan {
namespace {

DeviceKind kind_of(VkPhysicalDeviceType type) noexcept {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return DeviceKind::discrete_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return DeviceKind::integrated_gpu;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return DeviceKind::software;
    default: return DeviceKind::accelerator;
  }
}

Grid grid_of(const std::uint32_t (&counts)[3]) noexcept { return {counts[0], counts[1], counts[2]}; }

/// Beside a uniform block, where scalars do not fit into push constants.
std::uint32_t buffers_of(const Physical& physical) {
  const VkPhysicalDeviceLimits& limits = physical.properties.limits;
  std::uint32_t most = std::min({limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers,
                                 limits.maxPerStageResources - 1, most_buffers});
  if (physical.max_push_descriptors != 0) most = std::min(most, physical.max_push_descriptors - 1);
  return most;
}

/// What an allocation has beside a buffer: bytes before the first aligned address, and those of the driver's own.
/// SwiftShader refuses an allocation of the size that it tells.
constexpr VkDeviceSize beside = 2 * 4096;

Limits limits_of(const Physical& physical) {
  const VkPhysicalDeviceLimits& from = physical.properties.limits;
  const VkDeviceSize heap = largest_heap(physical.memory);
  Limits limits;
  limits.max_allocation =
      std::max(std::min({physical.version_1_1.maxMemoryAllocationSize, physical.max_buffer_size, heap}), beside) -
      beside;
  limits.max_binding = std::min<std::uint64_t>(from.maxStorageBufferRange, limits.max_allocation);
  limits.offset_alignment = static_cast<std::uint32_t>(std::max<VkDeviceSize>(from.minStorageBufferOffsetAlignment, 4));
  limits.max_grid = grid_of(from.maxComputeWorkGroupCount);
  limits.max_group = grid_of(from.maxComputeWorkGroupSize);
  limits.max_group_items = from.maxComputeWorkGroupInvocations;
  limits.max_local_bytes = from.maxComputeSharedMemorySize;
  limits.max_buffers = buffers_of(physical);
  limits.max_scalar_bytes = std::min(from.maxUniformBufferRange, most_scalar_bytes);
  limits.max_in_flight = max_in_flight;
  limits.min_subgroup = physical.min_subgroup;
  limits.max_subgroup = physical.max_subgroup;
  limits.max_image_2d = from.maxImageDimension2D;
  limits.max_image_3d = from.maxImageDimension3D;
  if (physical.texel_usages.all() != 0) limits.max_texel_buffer = from.maxTexelBufferElements;
  limits.texel_alignment = static_cast<std::uint32_t>(from.minTexelBufferOffsetAlignment);
  return limits;
}

std::vector<Capability> capabilities_of(const Physical& physical) {
  using enum Feature;
  using kit::row;
  const std::string no_extension = "the driver lacks the extension ";
  const std::string exchanges = vendor::vulkan::subgroup_operations(physical.version_1_1);
  return {
      {execution, Support::native, ""},
      {copy_queue, physical.copy ? Support::native : Support::emulated,
       physical.copy ? "" : "no queue family only copies, so these queues share the one that computes"},
      {host_call, Support::emulated,
       "Vulkan runs no host code: a thread of the backend cuts the submission there, waits and calls"},
      row(timestamp, physical.compute->timestamp_bits != 0, "timestampValidBits of the queue family is 0"),
      {indirect, Support::emulated,
       "counts must be clamped: a thread of the backend waits, reads the grid and launches"},
      {mapped_memory, Support::native, ""},
      {recording, Support::native,
       "runs of copies, fills and launches without slots; what is between them is submitted again"},
      {notification, Support::absent, "Vulkan tells nobody; a timeline semaphore can be waited for"},
      row(host_import, physical.host_pointer_alignment != 0, no_extension + "VK_EXT_external_memory_host",
          "where the driver refuses pages, a sealed buffer is a copy of them, and transfers are staged"),
      row(memory_export, physical.has("VK_KHR_external_memory_fd"), no_extension + "VK_KHR_external_memory_fd"),
      row(calibration, physical.relates_clocks, no_extension + "VK_EXT_calibrated_timestamps with CLOCK_MONOTONIC"),
      {constants, Support::native, "specialisation constants, by name"},
      {local_arguments, Support::absent, "a shader's shared memory has its size when it is loaded: use a constant"},
      row(float_atomics, physical.features.atomic_float.shaderBufferFloat32AtomicAdd == VK_TRUE,
          no_extension + "VK_EXT_shader_atomic_float with shaderBufferFloat32AtomicAdd"),
      {bounds, Support::absent, "the layer bounds(vulkan) finds them"},
      row(images, !physical.texels.empty(), "the driver has no format for them"),
      row(texel_buffers, physical.texel_usages.all() != 0, "the driver has no format for them"),
      {immediates, Support::native,
       fmt::format("{} bytes; a uniform block holds more", physical.properties.limits.maxPushConstantsSize)},
      row(subgroups, !exchanges.empty(), "the driver lists no operations for them in compute shaders", exchanges),
      {subgroup_matrices, Support::absent, "Pintle does not enable VK_KHR_cooperative_matrix"},
      {optional_buffers, Support::absent, "shaders reach buffers through descriptors, and none is a null pointer"},
  };
}

std::string driver_of(const Physical& physical) {
  const auto& properties = physical.version_1_2;
  std::string text = fmt::format("{} {}", text_of(properties.driverName), text_of(properties.driverInfo));
  while (text.ends_with(' ')) text.pop_back();
  text += fmt::format(", Vulkan {}.{}.{}", VK_API_VERSION_MAJOR(physical.properties.apiVersion),
                      VK_API_VERSION_MINOR(physical.properties.apiVersion),
                      VK_API_VERSION_PATCH(physical.properties.apiVersion));
  if (!physical.pci_address.empty()) text += ", PCI " + physical.pci_address;
  return text;
}

}  // namespace

DeviceInfo describe(const Physical& physical, std::uint32_t ordinal, bool compiles_glsl) {
  DeviceInfo info;
  info.id = fmt::format("vulkan:{}", ordinal);
  info.backend = "vulkan";
  info.uuid = fmt::format("{:02x}", fmt::join(physical.version_1_1.deviceUUID, ""));
  info.name = physical.name();
  info.driver = driver_of(physical);
  info.kind = kind_of(physical.properties.deviceType);
  info.progress = Progress::own;
  info.formats = {"spirv"};
  if (compiles_glsl) info.formats.emplace_back("glsl");
  else info.absent_formats.emplace_back("glsl", "Install the package glslang-tools, glslc or libshaderc1.");
  info.limits = limits_of(physical);
  info.capabilities = capabilities_of(physical);
  info.texels = physical.texels;
  info.buffer_texels = physical.texel_usages.support();
  kit::set_tick(info, static_cast<double>(physical.properties.limits.timestampPeriod), "timestampPeriod");
  kit::lower_to_tried(info);
  return info;
}

}  // namespace pintle::vulkan
