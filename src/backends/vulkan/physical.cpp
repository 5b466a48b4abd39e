#include "backends/vulkan/physical.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace pintle::vulkan {
namespace {

constexpr std::array wanted_extensions{
    "VK_KHR_push_descriptor",       "VK_KHR_synchronization2",     "VK_EXT_subgroup_size_control",
    "VK_EXT_memory_budget",         "VK_EXT_external_memory_host", "VK_KHR_external_memory_fd",
    "VK_EXT_calibrated_timestamps", "VK_EXT_pci_bus_info",         "VK_EXT_device_fault",
    "VK_KHR_maintenance4",          "VK_KHR_portability_subset",   "VK_EXT_shader_atomic_float",
};

using Extensions = std::set<std::string, std::less<>>;

Extensions extensions_of(const InstanceFunctions& vk, VkPhysicalDevice device) {
  const auto all = vendor::vulkan::listed<VkExtensionProperties>([&](auto* count, auto* extensions) {
    return vk.EnumerateDeviceExtensionProperties(device, nullptr, count, extensions);
  });
  Extensions found;
  for (const VkExtensionProperties& one : all) {
    const std::string_view name = text_of(one.extensionName);
    if (std::ranges::find(wanted_extensions, name) != wanted_extensions.end()) found.emplace(name);
  }
  return found;
}

Extensions only_enabled(const Extensions& all, const VkDeviceCreateInfo& made) {
  Extensions on;
  for (const char* const name : std::span(made.ppEnabledExtensionNames, made.enabledExtensionCount))
    if (all.contains(std::string_view(name))) on.emplace(name);
  return on;
}

/// The properties of extensions are asked for only where the device has them: drivers warn of structs they do not know.
void read_properties(const InstanceFunctions& vk, Physical& physical) {
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, nullptr, {}};
  void** end = &all.pNext;
  const auto link = [&](auto& part, VkStructureType type, bool exists) {
    part.sType = type;
    if (!exists) return;
    *end = &part;
    end = &part.pNext;
  };
  VkPhysicalDeviceMaintenance4Properties maintenance{};
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{};
  VkPhysicalDevicePushDescriptorPropertiesKHR push{};
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci{};
  VkPhysicalDeviceSubgroupSizeControlProperties subgroups{};
  link(physical.version_1_1, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, true);
  link(physical.version_1_2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, true);
  link(maintenance, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES, physical.has("VK_KHR_maintenance4"));
  link(host, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
       physical.has("VK_EXT_external_memory_host"));
  link(push, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR, physical.has("VK_KHR_push_descriptor"));
  link(pci, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT, physical.has("VK_EXT_pci_bus_info"));
  link(subgroups, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
       physical.version >= VK_API_VERSION_1_3 || physical.has("VK_EXT_subgroup_size_control"));
  vk.GetPhysicalDeviceProperties2(physical.handle, &all);
  const bool is_sized = (subgroups.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  physical.min_subgroup = is_sized ? subgroups.minSubgroupSize : physical.version_1_1.subgroupSize;
  physical.max_subgroup = is_sized ? subgroups.maxSubgroupSize : physical.version_1_1.subgroupSize;
  physical.max_buffer_size =
      physical.has("VK_KHR_maintenance4") ? maintenance.maxBufferSize : physical.version_1_1.maxMemoryAllocationSize;
  physical.host_pointer_alignment = host.minImportedHostPointerAlignment;
  physical.max_push_descriptors = push.maxPushDescriptors;
  if (physical.has("VK_EXT_pci_bus_info"))
    physical.pci_address =
        fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.pciDomain, pci.pciBus, pci.pciDevice, pci.pciFunction);
}

void read_families(const InstanceFunctions& vk, Physical& physical) {
  const auto families = vendor::vulkan::listed<VkQueueFamilyProperties>(
      [&](auto* count, auto* all) { vk.GetPhysicalDeviceQueueFamilyProperties(physical.handle, count, all); });
  for (std::uint32_t index = 0; index < families.size(); ++index) {
    const VkQueueFlags flags = families[index].queueFlags;
    const Family family{index, families[index].timestampValidBits, flags, families[index].minImageTransferGranularity};
    physical.families.push_back(family);
    if ((flags & VK_QUEUE_COMPUTE_BIT) != 0 && !physical.compute) physical.compute = family;
    if (family.only_copies() && !physical.copy) physical.copy = family;
  }
}

bool knows_both_clocks(const InstanceFunctions& vk, const Physical& physical) {
  if (!physical.has("VK_EXT_calibrated_timestamps") || vk.GetPhysicalDeviceCalibrateableTimeDomainsEXT == nullptr)
    return false;
  const auto domains = vendor::vulkan::listed<VkTimeDomainEXT>([&](auto* count, auto* all) {
    return vk.GetPhysicalDeviceCalibrateableTimeDomainsEXT(physical.handle, count, all);
  });
  const auto lists = [&](VkTimeDomainEXT domain) { return std::ranges::find(domains, domain) != domains.end(); };
  return lists(VK_TIME_DOMAIN_DEVICE_EXT) && lists(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
}

/// Only the features that kernels and this backend may use: others cost speed, such as those that make accesses robust.
Features only_wanted(const Features& all) {
  Features wanted;
  const auto& core = all.core.features;
  wanted.core.features.shaderFloat64 = core.shaderFloat64;
  wanted.core.features.shaderInt64 = core.shaderInt64;
  wanted.core.features.shaderInt16 = core.shaderInt16;
  wanted.core.features.shaderStorageBufferArrayDynamicIndexing = core.shaderStorageBufferArrayDynamicIndexing;
  wanted.core.features.shaderUniformBufferArrayDynamicIndexing = core.shaderUniformBufferArrayDynamicIndexing;
  wanted.core.features.shaderSampledImageArrayDynamicIndexing = core.shaderSampledImageArrayDynamicIndexing;
  wanted.core.features.shaderStorageImageArrayDynamicIndexing = core.shaderStorageImageArrayDynamicIndexing;
  wanted.core.features.shaderStorageImageExtendedFormats = core.shaderStorageImageExtendedFormats;
  wanted.core.features.shaderStorageImageReadWithoutFormat = core.shaderStorageImageReadWithoutFormat;
  wanted.core.features.shaderStorageImageWriteWithoutFormat = core.shaderStorageImageWriteWithoutFormat;
  wanted.core.features.shaderImageGatherExtended = core.shaderImageGatherExtended;
  wanted.version_1_1.storageBuffer16BitAccess = all.version_1_1.storageBuffer16BitAccess;
  wanted.version_1_1.uniformAndStorageBuffer16BitAccess = all.version_1_1.uniformAndStorageBuffer16BitAccess;
  wanted.version_1_1.storagePushConstant16 = all.version_1_1.storagePushConstant16;
  wanted.version_1_1.variablePointersStorageBuffer = all.version_1_1.variablePointersStorageBuffer;
  wanted.version_1_1.variablePointers = all.version_1_1.variablePointers;
  const auto& second = all.version_1_2;
  auto& to = wanted.version_1_2;
  to.storageBuffer8BitAccess = second.storageBuffer8BitAccess;
  to.uniformAndStorageBuffer8BitAccess = second.uniformAndStorageBuffer8BitAccess;
  to.storagePushConstant8 = second.storagePushConstant8;
  to.shaderBufferInt64Atomics = second.shaderBufferInt64Atomics;
  to.shaderSharedInt64Atomics = second.shaderSharedInt64Atomics;
  to.shaderFloat16 = second.shaderFloat16;
  to.shaderInt8 = second.shaderInt8;
  to.shaderSubgroupExtendedTypes = second.shaderSubgroupExtendedTypes;
  to.shaderUniformTexelBufferArrayDynamicIndexing = second.shaderUniformTexelBufferArrayDynamicIndexing;
  to.shaderStorageTexelBufferArrayDynamicIndexing = second.shaderStorageTexelBufferArrayDynamicIndexing;
  to.scalarBlockLayout = second.scalarBlockLayout;
  to.timelineSemaphore = second.timelineSemaphore;
  to.bufferDeviceAddress = second.bufferDeviceAddress;
  to.vulkanMemoryModel = second.vulkanMemoryModel;
  to.vulkanMemoryModelDeviceScope = second.vulkanMemoryModelDeviceScope;
  wanted.version_1_3.subgroupSizeControl = all.version_1_3.subgroupSizeControl;
  wanted.version_1_3.computeFullSubgroups = all.version_1_3.computeFullSubgroups;
  wanted.version_1_3.synchronization2 = all.version_1_3.synchronization2;
  wanted.version_1_3.maintenance4 = all.version_1_3.maintenance4;
  wanted.version_1_3.shaderIntegerDotProduct = all.version_1_3.shaderIntegerDotProduct;
  wanted.version_1_3.shaderZeroInitializeWorkgroupMemory = all.version_1_3.shaderZeroInitializeWorkgroupMemory;
  wanted.fault.deviceFault = all.fault.deviceFault;
  wanted.atomic_float = all.atomic_float;
  return wanted;
}

}  // namespace

Physical Physical::of(const InstanceFunctions& vk, VkPhysicalDevice handle, const VkDeviceCreateInfo* made) {
  Physical physical;
  physical.handle = handle;
  vk.GetPhysicalDeviceProperties(handle, &physical.properties);
  physical.version = std::min(physical.properties.apiVersion, VK_MAKE_API_VERSION(0, 1, 3, 0xfff));
  if (physical.version < VK_API_VERSION_1_2) return physical;
  physical.extensions = extensions_of(vk, handle);
  if (made != nullptr) physical.extensions = only_enabled(physical.extensions, *made);
  read_properties(vk, physical);
  read_families(vk, physical);
  VkPhysicalDeviceMemoryProperties2 memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, nullptr, {}};
  vk.GetPhysicalDeviceMemoryProperties2(handle, &memory);
  physical.memory = vendor::vulkan::believed(memory.memoryProperties);
  physical.features = only_wanted(made != nullptr ? Features::enabled_by(*made)
                                                  : Features::of(vk, handle, physical.version, physical.extensions));
  const bool is_controlled = physical.features.version_1_3.subgroupSizeControl == VK_TRUE;
  if (!is_controlled) physical.min_subgroup = physical.max_subgroup = physical.version_1_1.subgroupSize;
  physical.requires_subgroups = physical.min_subgroup != physical.max_subgroup;
  physical.relates_clocks = knows_both_clocks(vk, physical);
  physical.texels = texels_of(vk, handle);
  physical.texel_usages = TexelUsages::of(vk, handle);
  return physical;
}

std::string Physical::refusal() const {
  if (version < VK_API_VERSION_1_2) {
    return fmt::format("its API version ({}.{}) is lower than the least that is used (1.2)",
                       VK_API_VERSION_MAJOR(properties.apiVersion), VK_API_VERSION_MINOR(properties.apiVersion));
  }
  if (!compute) return "it has no queue family that computes";
  if (memory.memoryTypeCount == 0) return "it has no memory";
  if (features.version_1_2.timelineSemaphore != VK_TRUE) return "it has no timeline semaphores";
  return {};
}

vendor::vulkan::Abilities Physical::abilities() const noexcept {
  return {features, version_1_1.subgroupSupportedOperations,
          version_1_2.shaderSignedZeroInfNanPreserveFloat32 == VK_TRUE,
          version >= VK_API_VERSION_1_3 ? 0x00010600u : 0x00010500u};
}

std::string Physical::driver_identity() const {
  return fmt::format("{:08x} {:08x} {:08x} {:02x}", properties.vendorID, properties.deviceID, properties.driverVersion,
                     fmt::join(properties.pipelineCacheUUID, ""));
}

}  // namespace pintle::vulkan
