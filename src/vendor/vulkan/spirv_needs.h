// SPIR-V capabilities, and what each needs of a Vulkan device (from the specification's appendix on SPIR-V).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/quote.h"
#include "pintle/error.h"
#include "vendor/vulkan/features.h"
#include "vendor/vulkan/spirv_names.h"

namespace pintle::vendor::vulkan {

/// The properties of a device that decide.
struct Abilities {
  const Features& features;
  VkSubgroupFeatureFlags subgroup_operations = 0;
  bool preserves_signed_zero = false;
  std::uint32_t newest_spirv = 0x00010500;
};

namespace needs {

struct SpirvNeed {
  std::uint32_t number;
  bool (*is_met)(const Abilities& device);
};

inline bool always(const Abilities&) noexcept { return true; }

template <auto Part, auto Feature>
bool enabled(const Abilities& device) noexcept {
  return (device.features.*Part).*Feature == VK_TRUE;
}
template <auto Feature>
bool core(const Abilities& device) noexcept {
  return device.features.core.features.*Feature == VK_TRUE;
}
template <VkSubgroupFeatureFlags Operations>
bool subgroup(const Abilities& device) noexcept {
  return (device.subgroup_operations & Operations) == Operations;
}

using Atomics = VkPhysicalDeviceShaderAtomicFloatFeaturesEXT;
template <auto... Members>
bool any_of(const Abilities& device) noexcept {
  return ((device.features.atomic_float.*Members == VK_TRUE) || ...);
}

using First = VkPhysicalDeviceVulkan11Features;
using Second = VkPhysicalDeviceVulkan12Features;
using Third = VkPhysicalDeviceVulkan13Features;
inline constexpr auto first = &Features::version_1_1;
inline constexpr auto second = &Features::version_1_2;
inline constexpr auto third = &Features::version_1_3;

inline constexpr std::array spirv_needs{
    SpirvNeed{0, /* Matrix */ always},
    SpirvNeed{1, /* Shader */ always},
    SpirvNeed{9, /* Float16 */ enabled<second, &Second::shaderFloat16>},
    SpirvNeed{10, /* Float64 */ core<&VkPhysicalDeviceFeatures::shaderFloat64>},
    SpirvNeed{11, /* Int64 */ core<&VkPhysicalDeviceFeatures::shaderInt64>},
    SpirvNeed{12, /* Int64Atomics */ enabled<second, &Second::shaderBufferInt64Atomics>},
    SpirvNeed{22, /* Int16 */ core<&VkPhysicalDeviceFeatures::shaderInt16>},
    SpirvNeed{25, /* ImageGatherExtended */ core<&VkPhysicalDeviceFeatures::shaderImageGatherExtended>},
    SpirvNeed{28, /* UniformBufferArrayDynamicIndexing */ core<
                  &VkPhysicalDeviceFeatures::shaderUniformBufferArrayDynamicIndexing>},
    SpirvNeed{
        29,
        /* SampledImageArrayDynamicIndexing */ core<&VkPhysicalDeviceFeatures::shaderSampledImageArrayDynamicIndexing>},
    SpirvNeed{30, /* StorageBufferArrayDynamicIndexing */ core<
                  &VkPhysicalDeviceFeatures::shaderStorageBufferArrayDynamicIndexing>},
    SpirvNeed{
        31,
        /* StorageImageArrayDynamicIndexing */ core<&VkPhysicalDeviceFeatures::shaderStorageImageArrayDynamicIndexing>},
    SpirvNeed{39, /* Int8 */ enabled<second, &Second::shaderInt8>},
    SpirvNeed{43, /* Sampled1D */ always},
    SpirvNeed{44, /* Image1D */ always},
    SpirvNeed{46, /* SampledBuffer */ always},
    SpirvNeed{47, /* ImageBuffer */ always},
    SpirvNeed{49, /* StorageImageExtendedFormats */ core<&VkPhysicalDeviceFeatures::shaderStorageImageExtendedFormats>},
    SpirvNeed{50, /* ImageQuery */ always},
    SpirvNeed{55,
              /* StorageImageReadWithoutFormat */ core<&VkPhysicalDeviceFeatures::shaderStorageImageReadWithoutFormat>},
    SpirvNeed{
        56, /* StorageImageWriteWithoutFormat */ core<&VkPhysicalDeviceFeatures::shaderStorageImageWriteWithoutFormat>},
    SpirvNeed{61, /* GroupNonUniform */ subgroup<VK_SUBGROUP_FEATURE_BASIC_BIT>},
    SpirvNeed{62, /* GroupNonUniformVote */ subgroup<VK_SUBGROUP_FEATURE_VOTE_BIT>},
    SpirvNeed{63, /* GroupNonUniformArithmetic */ subgroup<VK_SUBGROUP_FEATURE_ARITHMETIC_BIT>},
    SpirvNeed{64, /* GroupNonUniformBallot */ subgroup<VK_SUBGROUP_FEATURE_BALLOT_BIT>},
    SpirvNeed{65, /* GroupNonUniformShuffle */ subgroup<VK_SUBGROUP_FEATURE_SHUFFLE_BIT>},
    SpirvNeed{66, /* GroupNonUniformShuffleRelative */ subgroup<VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT>},
    SpirvNeed{67, /* GroupNonUniformClustered */ subgroup<VK_SUBGROUP_FEATURE_CLUSTERED_BIT>},
    SpirvNeed{68, /* GroupNonUniformQuad */ subgroup<VK_SUBGROUP_FEATURE_QUAD_BIT>},
    SpirvNeed{4433, /* StorageBuffer16BitAccess */ enabled<first, &First::storageBuffer16BitAccess>},
    SpirvNeed{4434,
              /* UniformAndStorageBuffer16BitAccess */ enabled<first, &First::uniformAndStorageBuffer16BitAccess>},
    SpirvNeed{4435, /* StoragePushConstant16 */ enabled<first, &First::storagePushConstant16>},
    SpirvNeed{4441, /* VariablePointersStorageBuffer */ enabled<first, &First::variablePointersStorageBuffer>},
    SpirvNeed{4442, /* VariablePointers */ enabled<first, &First::variablePointers>},
    SpirvNeed{4448, /* StorageBuffer8BitAccess */ enabled<second, &Second::storageBuffer8BitAccess>},
    SpirvNeed{4449,
              /* UniformAndStorageBuffer8BitAccess */ enabled<second, &Second::uniformAndStorageBuffer8BitAccess>},
    SpirvNeed{4450, /* StoragePushConstant8 */ enabled<second, &Second::storagePushConstant8>},
    SpirvNeed{4466,
              /* SignedZeroInfNanPreserve */ [](const Abilities& device) { return device.preserves_signed_zero; }},
    SpirvNeed{5304, /* UniformTexelBufferArrayDynamicIndexing */ enabled<
                  second, &Second::shaderUniformTexelBufferArrayDynamicIndexing>},
    SpirvNeed{5305, /* StorageTexelBufferArrayDynamicIndexing */ enabled<
                  second, &Second::shaderStorageTexelBufferArrayDynamicIndexing>},
    SpirvNeed{5345, /* VulkanMemoryModel */ enabled<second, &Second::vulkanMemoryModel>},
    SpirvNeed{5346, /* VulkanMemoryModelDeviceScope */ enabled<second, &Second::vulkanMemoryModelDeviceScope>},
    SpirvNeed{5347, /* PhysicalStorageBufferAddresses */ enabled<second, &Second::bufferDeviceAddress>},
    SpirvNeed{6016, /* DotProductInputAll */ enabled<third, &Third::shaderIntegerDotProduct>},
    SpirvNeed{6017, /* DotProductInput4x8Bit */ enabled<third, &Third::shaderIntegerDotProduct>},
    SpirvNeed{6018, /* DotProductInput4x8BitPacked */ enabled<third, &Third::shaderIntegerDotProduct>},
    SpirvNeed{6019, /* DotProduct */ enabled<third, &Third::shaderIntegerDotProduct>},
    SpirvNeed{
        6033,
        /* AtomicFloat32AddEXT */ any_of<&Atomics::shaderBufferFloat32AtomicAdd, &Atomics::shaderSharedFloat32AtomicAdd,
                                         &Atomics::shaderImageFloat32AtomicAdd>},
    SpirvNeed{6034, /* AtomicFloat64AddEXT */ any_of<&Atomics::shaderBufferFloat64AtomicAdd>},
};

/// Extensions of SPIR-V that a module may name: part of Vulkan 1.2, or with no effect on what a kernel does, or with
/// nothing beyond the capabilities above. What any other one adds is not known here, and drivers that do not know it
/// either have been seen to end the process.
inline constexpr std::array<std::string_view, 23> spirv_extensions{
    "SPV_KHR_16bit_storage",
    "SPV_KHR_8bit_storage",
    "SPV_KHR_device_group",
    "SPV_KHR_float_controls",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_multiview",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_physical_storage_buffer",
    "SPV_KHR_shader_draw_parameters",
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_terminate_invocation",
    "SPV_KHR_variable_pointers",
    "SPV_KHR_vulkan_memory_model",
    "SPV_EXT_demote_to_helper_invocation",
    "SPV_EXT_descriptor_indexing",
    "SPV_EXT_physical_storage_buffer",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_viewport_index_layer",
    "SPV_GOOGLE_decorate_string",
    "SPV_GOOGLE_hlsl_functionality1",
    "SPV_GOOGLE_user_type",
    "SPV_KHR_subgroup_uniform_control_flow",
};

}  // namespace needs

/// `unsupported` names what a module needs and the device lacks: "needs ...".
[[nodiscard]] inline Result<void> check_spirv(const Abilities& device, std::uint32_t version,
                                              std::span<const std::uint32_t> capabilities,
                                              std::span<const std::string> extensions) {
  using needs::SpirvNeed;
  if (version > device.newest_spirv) {
    return Error(Errc::unsupported, fmt::format("needs SPIR-V 1.{}, and the device takes 1.{} at most",
                                                version >> 8 & 0xff, device.newest_spirv >> 8 & 0xff));
  }
  for (const std::uint32_t capability : capabilities) {
    const auto* const need = std::ranges::find(needs::spirv_needs, capability, &SpirvNeed::number);
    if (need == needs::spirv_needs.end()) {
      return Error(Errc::unsupported, fmt::format("needs the SPIR-V capability {}, which no kernel can have here",
                                                  capability_text(capability)));
    }
    if (!need->is_met(device)) {
      return Error(Errc::unsupported,
                   fmt::format("needs the SPIR-V capability {}, which the device lacks", capability_text(capability)));
    }
  }
  for (const std::string& extension : extensions) {
    if (std::ranges::find(needs::spirv_extensions, extension) != needs::spirv_extensions.end()) continue;
    return Error(Errc::unsupported,
                 fmt::format("needs the SPIR-V extension {}, which no kernel can have here", base::quote(extension)));
  }
  return {};
}

}  // namespace pintle::vendor::vulkan
