// The features of a device by version and extension, as the chain of structs that Vulkan takes.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "vendor/vulkan/functions.h"

namespace pintle::vendor::vulkan {

/// The features that a query fills in and that vkCreateDevice takes.
struct Features {
  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceVulkan11Features version_1_1{};
  VkPhysicalDeviceVulkan12Features version_1_2{};
  VkPhysicalDeviceVulkan13Features version_1_3{};  // for a 1.2 device, from its extensions
  VkPhysicalDeviceFaultFeaturesEXT fault{};
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float{};

  [[nodiscard]] static Features of(const InstanceFunctions& vk, VkPhysicalDevice device, std::uint32_t version,
                                   const std::set<std::string, std::less<>>& extensions);
  /// The features that vkCreateDevice was given. Structs of single features are known as far as this project needs
  /// them.
  [[nodiscard]] static Features enabled_by(const VkDeviceCreateInfo& info);
  /// Calls `use(head)` with these features as one chain that begins at `head`.
  template <class Use>
  auto chained(std::uint32_t version, const std::set<std::string, std::less<>>& extensions, Use use) const {
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
    if (extensions.contains("VK_EXT_device_fault"))
      link(copy.fault, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT);
    if (extensions.contains("VK_EXT_shader_atomic_float"))
      link(copy.atomic_float, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
    return use(copy.core);
  }

 private:
  template <class Part>
  void read(const Part* part);
};

/// Copies the features of a chain's structs. `Part` is VkBaseOutStructure or VkBaseInStructure.
template <class Part>
void Features::read(const Part* part) {
  for (; part != nullptr; part = part->pNext) {
    const auto as = [&]<class Struct>(Struct) { return *reinterpret_cast<const Struct*>(part); };
    switch (part->sType) {
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2:
        core.features = as(VkPhysicalDeviceFeatures2{}).features;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES: version_1_1 = as(version_1_1); break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES: version_1_2 = as(version_1_2); break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES: version_1_3 = as(version_1_3); break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FAULT_FEATURES_EXT: fault = as(fault); break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT: atomic_float = as(atomic_float); break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES:
        version_1_3.synchronization2 = as(VkPhysicalDeviceSynchronization2Features{}).synchronization2;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES:
        version_1_3.subgroupSizeControl = as(VkPhysicalDeviceSubgroupSizeControlFeatures{}).subgroupSizeControl;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES:
        version_1_2.timelineSemaphore = as(VkPhysicalDeviceTimelineSemaphoreFeatures{}).timelineSemaphore;
        break;
      case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES:
        version_1_2.bufferDeviceAddress = as(VkPhysicalDeviceBufferDeviceAddressFeatures{}).bufferDeviceAddress;
        break;
      default: break;
    }
  }
}

inline Features Features::of(const InstanceFunctions& vk, VkPhysicalDevice device, std::uint32_t version,
                             const std::set<std::string, std::less<>>& extensions) {
  Features asked;
  if (version < VK_API_VERSION_1_3) {
    asked.version_1_3.synchronization2 = extensions.contains("VK_KHR_synchronization2") ? VK_TRUE : VK_FALSE;
    asked.version_1_3.subgroupSizeControl = extensions.contains("VK_EXT_subgroup_size_control") ? VK_TRUE : VK_FALSE;
  }
  return asked.chained(version, extensions, [&](VkPhysicalDeviceFeatures2& head) {
    vk.GetPhysicalDeviceFeatures2(device, &head);
    Features all = asked;
    all.read(reinterpret_cast<const VkBaseOutStructure*>(&head));
    return all;
  });
}

inline Features Features::enabled_by(const VkDeviceCreateInfo& info) {
  Features all;
  if (info.pEnabledFeatures != nullptr) all.core.features = *info.pEnabledFeatures;
  all.read(static_cast<const VkBaseInStructure*>(info.pNext));
  return all;
}

}  // namespace pintle::vendor::vulkan
