// SPIR-V capabilities, and what of the device each needs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/vulkan/physical.h"
#include "kit/spirv.h"

namespace pintle::vulkan {
namespace {

struct Need {
  std::uint32_t number;
  const char* name;
  bool (*is_met)(const Physical& physical);
};

bool always(const Physical&) noexcept { return true; }

template <auto Part, auto Feature>
bool enabled(const Physical& physical) noexcept {
  return (physical.features.*Part).*Feature == VK_TRUE;
}
template <auto Feature>
bool core(const Physical& physical) noexcept {
  return physical.features.core.features.*Feature == VK_TRUE;
}
template <VkSubgroupFeatureFlags Operations>
bool subgroup(const Physical& physical) noexcept {
  return (physical.version_1_1.subgroupSupportedOperations & Operations) == Operations;
}

using First = VkPhysicalDeviceVulkan11Features;
using Second = VkPhysicalDeviceVulkan12Features;
using Third = VkPhysicalDeviceVulkan13Features;
constexpr auto first = &Features::version_1_1;
constexpr auto second = &Features::version_1_2;
constexpr auto third = &Features::version_1_3;

constexpr std::array needs{
    Need{0, "Matrix", always},
    Need{1, "Shader", always},
    Need{9, "Float16", enabled<second, &Second::shaderFloat16>},
    Need{10, "Float64", core<&VkPhysicalDeviceFeatures::shaderFloat64>},
    Need{11, "Int64", core<&VkPhysicalDeviceFeatures::shaderInt64>},
    Need{12, "Int64Atomics", enabled<second, &Second::shaderBufferInt64Atomics>},
    Need{22, "Int16", core<&VkPhysicalDeviceFeatures::shaderInt16>},
    Need{39, "Int8", enabled<second, &Second::shaderInt8>},
    Need{61, "GroupNonUniform", subgroup<VK_SUBGROUP_FEATURE_BASIC_BIT>},
    Need{62, "GroupNonUniformVote", subgroup<VK_SUBGROUP_FEATURE_VOTE_BIT>},
    Need{63, "GroupNonUniformArithmetic", subgroup<VK_SUBGROUP_FEATURE_ARITHMETIC_BIT>},
    Need{64, "GroupNonUniformBallot", subgroup<VK_SUBGROUP_FEATURE_BALLOT_BIT>},
    Need{65, "GroupNonUniformShuffle", subgroup<VK_SUBGROUP_FEATURE_SHUFFLE_BIT>},
    Need{66, "GroupNonUniformShuffleRelative", subgroup<VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT>},
    Need{67, "GroupNonUniformClustered", subgroup<VK_SUBGROUP_FEATURE_CLUSTERED_BIT>},
    Need{68, "GroupNonUniformQuad", subgroup<VK_SUBGROUP_FEATURE_QUAD_BIT>},
    Need{4433, "StorageBuffer16BitAccess", enabled<first, &First::storageBuffer16BitAccess>},
    Need{4434, "UniformAndStorageBuffer16BitAccess", enabled<first, &First::uniformAndStorageBuffer16BitAccess>},
    Need{4435, "StoragePushConstant16", enabled<first, &First::storagePushConstant16>},
    Need{4441, "VariablePointersStorageBuffer", enabled<first, &First::variablePointersStorageBuffer>},
    Need{4442, "VariablePointers", enabled<first, &First::variablePointers>},
    Need{4448, "StorageBuffer8BitAccess", enabled<second, &Second::storageBuffer8BitAccess>},
    Need{4449, "UniformAndStorageBuffer8BitAccess", enabled<second, &Second::uniformAndStorageBuffer8BitAccess>},
    Need{4450, "StoragePushConstant8", enabled<second, &Second::storagePushConstant8>},
    Need{
        4466, "SignedZeroInfNanPreserve",
        [](const Physical& physical) { return physical.version_1_2.shaderSignedZeroInfNanPreserveFloat32 == VK_TRUE; }},
    Need{5345, "VulkanMemoryModel", enabled<second, &Second::vulkanMemoryModel>},
    Need{5346, "VulkanMemoryModelDeviceScope", enabled<second, &Second::vulkanMemoryModelDeviceScope>},
    Need{5347, "PhysicalStorageBufferAddresses", enabled<second, &Second::bufferDeviceAddress>},
    Need{6016, "DotProductInputAll", enabled<third, &Third::shaderIntegerDotProduct>},
    Need{6017, "DotProductInput4x8Bit", enabled<third, &Third::shaderIntegerDotProduct>},
    Need{6018, "DotProductInput4x8BitPacked", enabled<third, &Third::shaderIntegerDotProduct>},
    Need{6019, "DotProduct", enabled<third, &Third::shaderIntegerDotProduct>},
};

}  // namespace

Result<void> check_module(const Physical& physical, const kit::SpirvModule& module) {
  const std::uint32_t newest = physical.version >= VK_API_VERSION_1_3 ? 0x00010600 : 0x00010500;
  if (module.version > newest) {
    return Error(Errc::unsupported, fmt::format("needs SPIR-V 1.{}, and the device takes 1.{} at most",
                                                module.version >> 8 & 0xff, newest >> 8 & 0xff));
  }
  for (const std::uint32_t capability : module.capabilities) {
    const auto need = std::ranges::find(needs, capability, &Need::number);
    if (need == needs.end()) {
      return Error(Errc::unsupported,
                   fmt::format("needs the SPIR-V capability ({}), which is not known to work for kernels", capability));
    }
    if (!need->is_met(physical)) {
      return Error(Errc::unsupported,
                   fmt::format("needs the SPIR-V capability {} ({}), which the device lacks", need->name, capability));
    }
  }
  return {};
}

}  // namespace pintle::vulkan
