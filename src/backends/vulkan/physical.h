// What is known of a physical device before it is opened.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pintle/info.h"
#include "vendor/vulkan/functions.h"

namespace pintle::vulkan {

using vendor::vulkan::InstanceFunctions;

/// The features that this backend asks for, as a chain: filled by a query, then handed to vkCreateDevice.
struct Features {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceVulkan11Features version_1_1{};
  VkPhysicalDeviceVulkan12Features version_1_2{};
  VkPhysicalDeviceVulkan13Features version_1_3{};  // of a 1.2 device: what its extensions say
  VkPhysicalDeviceFaultFeaturesEXT fault{};

  [[nodiscard]] static Features of(const InstanceFunctions& vk, VkPhysicalDevice device, std::uint32_t version,
                                   const std::set<std::string, std::less<>>& extensions);
  /// Calls `use(head)` with these features as one chain that begins at `head`.
  template <class Use>
  auto chained(std::uint32_t version, bool with_fault, Use use) const {
    Features copy = *this;
    void** end = &copy.core.pNext;
    const auto link = [&](auto& part, VkStructureType type) {
      part.sType = type;
      part.pNext = nullptr;
      *end = &part;
      end = &part.pNext;
    };
    copy.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    copy.core.pNext = nullptr;
    link(copy.version_1_1, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    link(copy.version_1_2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    VkPhysicalDeviceSynchronization2Features synchronization{};
    VkPhysicalDeviceSubgroupSizeControlFeatures subgroups{};
    if (version >= VK_API_VERSION_1_3) {
      link(copy.version_1_3, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    } else {
      synchronization.synchronization2 = version_1_3.synchronization2;
      subgroups.subgroupSizeControl = version_1_3.subgroupSizeControl;
      if (synchronization.synchronization2 == VK_TRUE)
        link(synchronization, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES);
      if (subgroups.subgroupSizeControl == VK_TRUE)
        link(subgroups, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES);
    }
    if (with_fault) link(copy.fault, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT);
    return use(copy.core);
  }
};

/// A queue family to take the first queue of.
struct Family {
  std::uint32_t index = 0;
  std::uint32_t timestamp_bits = 0;
};

struct Physical {
  VkPhysicalDevice handle = nullptr;
  std::uint32_t version = 0;  ///< Of the API, as far as this backend uses it.
  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceVulkan11Properties version_1_1{};
  VkPhysicalDeviceVulkan12Properties version_1_2{};
  VkPhysicalDeviceMemoryProperties memory{};
  std::set<std::string, std::less<>> extensions;  ///< Those that this backend uses and the device has.
  Features features;
  std::uint64_t max_buffer_size = 0;
  std::uint64_t host_pointer_alignment = 0;  ///< 0: host memory cannot be imported.
  std::uint32_t max_push_descriptors = 0;    ///< 0: there are none.
  std::string pci_address;                   ///< "0000:01:00.0"; empty where the driver does not say.
  std::optional<Family> compute;
  std::optional<Family> copy;  ///< A family that only copies.
  bool relates_clocks = false;

  [[nodiscard]] static Physical of(const InstanceFunctions& vk, VkPhysicalDevice handle);

  [[nodiscard]] bool has(std::string_view extension) const { return extensions.contains(extension); }
  /// Why this backend cannot use it; empty when it can.
  [[nodiscard]] std::string refusal() const;
  /// The name with which messages and absences speak of it.
  [[nodiscard]] std::string name() const { return properties.deviceName; }
  /// All that compiled code depends on.
  [[nodiscard]] std::string driver_identity() const;
};

/// As `devices()` lists it.
[[nodiscard]] DeviceInfo describe(const Physical& physical, std::uint32_t ordinal, bool compiles_glsl);

// What core is told, and what the backend keeps to.
inline constexpr std::uint32_t max_in_flight = 64;
inline constexpr std::uint32_t most_buffers = 64;  ///< Of a kernel.

}  // namespace pintle::vulkan
