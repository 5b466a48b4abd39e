// The features of a device by version and extension, as the chain of structs that Vulkan takes.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <type_traits>

#include "vendor/vulkan/functions.h"

namespace pintle::vendor::vulkan {

/// What a query fills and vkCreateDevice takes.
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

inline Features Features::of(const InstanceFunctions& vk, VkPhysicalDevice device, std::uint32_t version,
                             const std::set<std::string, std::less<>>& extensions) {
  Features asked;
  if (version < VK_API_VERSION_1_3) {
    asked.version_1_3.synchronization2 = extensions.contains("VK_KHR_synchronization2") ? VK_TRUE : VK_FALSE;
    asked.version_1_3.subgroupSizeControl = extensions.contains("VK_EXT_subgroup_size_control") ? VK_TRUE : VK_FALSE;
  }
  return asked.chained(version, extensions.contains("VK_EXT_device_fault"), [&](VkPhysicalDeviceFeatures2& head) {
    vk.GetPhysicalDeviceFeatures2(device, &head);
    Features all = asked;
    all.core.features = head.features;
    for (auto* part = static_cast<VkBaseOutStructure*>(head.pNext); part != nullptr; part = part->pNext) {
      const auto take = [&](auto& place) {
        place = *reinterpret_cast<std::remove_reference_t<decltype(place)>*>(part);
      };
      switch (part->sType) {
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES: take(all.version_1_1); break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES: take(all.version_1_2); break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES: take(all.version_1_3); break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT: take(all.fault); break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES:
          all.version_1_3.synchronization2 =
              reinterpret_cast<VkPhysicalDeviceSynchronization2Features*>(part)->synchronization2;
          break;
        case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES:
          all.version_1_3.subgroupSizeControl =
              reinterpret_cast<VkPhysicalDeviceSubgroupSizeControlFeatures*>(part)->subgroupSizeControl;
          break;
        default: break;
      }
    }
    return all;
  });
}

}  // namespace pintle::vendor::vulkan
