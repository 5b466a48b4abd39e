// What is known of a physical device before it is opened.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "backends/vulkan/texels.h"
#include "pintle/backend/range.h"
#include "pintle/entry.h"
#include "pintle/info.h"
#include "vendor/vulkan/answers.h"
#include "vendor/vulkan/spirv_needs.h"

namespace pintle::vulkan {

using vendor::vulkan::Features;
using vendor::vulkan::InstanceFunctions;
using vendor::vulkan::text_of;

/// A queue family to take the first queue of.
struct Family {
  std::uint32_t index = 0;
  std::uint32_t timestamp_bits = 0;
  VkQueueFlags flags = 0;
  VkExtent3D granularity{1, 1, 1};  ///< What parts of images that it copies are multiples of; zeros: whole images.

  [[nodiscard]] bool only_copies() const noexcept {
    return (flags & VK_QUEUE_TRANSFER_BIT) != 0 && (flags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) == 0;
  }
};

struct Physical {
  VkPhysicalDevice handle = nullptr;
  std::uint32_t version = 0;  ///< The version of the API, as far as this backend uses it.
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceVulkan11Properties version_1_1{};
  VkPhysicalDeviceVulkan12Properties version_1_2{};
  VkPhysicalDeviceMemoryProperties memory{};
  std::set<std::string, std::less<>> extensions;  ///< Those that this backend uses and the device has.
  Features features;
  std::uint64_t max_buffer_size = 0;
  std::uint64_t host_pointer_alignment = 0;  ///< 0: host memory cannot be imported.
  std::uint32_t max_push_descriptors = 0;    ///< 0: there are none.
  std::vector<TexelSupport> texels;          ///< Those of images.
  TexelUsages texel_usages;                  ///< Those of texel buffers.
  std::string pci_address;                   ///< "0000:01:00.0"; empty where the driver does not say.
  std::vector<Family> families;
  std::optional<Family> compute;
  std::optional<Family> copy;  ///< A family that only copies.
  bool relates_clocks = false;
  std::uint32_t min_subgroup = 1;  ///< What a kernel may ask for.
  std::uint32_t max_subgroup = 1;
  bool requires_subgroups = false;  ///< The device has several sizes, of which a pipeline may require one.

  /// With `made`, only the features that a device made by it has switched on.
  [[nodiscard]] static Physical of(const InstanceFunctions& vk, VkPhysicalDevice handle,
                                   const VkDeviceCreateInfo* made = nullptr);

  [[nodiscard]] bool has(std::string_view extension) const { return extensions.contains(extension); }
  /// Why this backend cannot use the device; empty when it can.
  [[nodiscard]] std::string refusal() const;
  /// The name that messages and absences use.
  [[nodiscard]] std::string name() const { return std::string(text_of(properties.deviceName)); }
  [[nodiscard]] bool is_software() const noexcept { return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU; }
  /// What decides which code the device can run.
  [[nodiscard]] vendor::vulkan::Abilities abilities() const noexcept;
  /// Everything that compiled code depends on.
  [[nodiscard]] std::string driver_identity() const;
};

/// The device as `devices()` lists it.
[[nodiscard]] DeviceInfo describe(const Physical& physical, std::uint32_t ordinal, bool compiles_glsl);

// Limits that core is told, and that the backend keeps to.
inline constexpr std::uint32_t max_in_flight = 64;
inline constexpr std::uint32_t most_buffers = 64;                   ///< A kernel's.
inline constexpr std::uint32_t most_bound = Entry::max_parameters;  ///< A kernel's buffers, images and samplers.
inline constexpr std::uint32_t most_sets = 32;                      ///< A kernel's sets are numbered below it.
inline constexpr std::uint32_t most_bindings = 4096;  ///< Drivers make tables as long as the largest number.
/// A kernel's: as many as the largest entry, or the largest struct.
inline constexpr std::uint32_t most_scalar_bytes =
    std::max<std::uint32_t>(Entry::max_parameters * sizeof(backend::Scalar), Entry::max_value_bytes);

}  // namespace pintle::vulkan
