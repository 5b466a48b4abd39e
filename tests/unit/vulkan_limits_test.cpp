// What core is told of a physical device, over properties made up for the test.
#include <gtest/gtest.h>

#include "backends/vulkan/memory_types.h"
#include "backends/vulkan/physical.h"
#include "vendor/vulkan/subgroups.h"

namespace pintle::vulkan {
namespace {

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// The memory of a card whose whole memory the host does not see.
VkPhysicalDeviceMemoryProperties memory_of_a_card() {
  VkPhysicalDeviceMemoryProperties memory{};
  memory.memoryHeapCount = 3;
  memory.memoryHeaps[0] = {std::uint64_t{140} << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  memory.memoryHeaps[1] = {std::uint64_t{120} << 30, 0};
  memory.memoryHeaps[2] = {256 << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  memory.memoryTypeCount = 5;
  memory.memoryTypes[0] = {0, 1};
  memory.memoryTypes[1] = {local, 0};
  memory.memoryTypes[2] = {mapped, 1};
  memory.memoryTypes[3] = {mapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 1};
  memory.memoryTypes[4] = {local | mapped, 2};
  return memory;
}

// NVIDIA's driver 580: an allocation has fewer bytes than a descriptor's range may have.
TEST(VulkanLimits, ABindingIsNoLargerThanAnAllocation) {
  Physical physical;
  physical.compute = Family{};
  physical.memory = memory_of_a_card();
  physical.max_buffer_size = ~std::uint64_t{0};
  physical.version_1_1.maxMemoryAllocationSize = 4'292'870'144;
  physical.properties.limits.maxStorageBufferRange = 4'294'967'295;
  const Limits limits = describe(physical, 0, false).limits;
  EXPECT_EQ(limits.max_allocation, 4'292'870'144u - 8192);  // with room for an aligned address
  EXPECT_EQ(limits.max_binding, limits.max_allocation);
  physical.properties.limits.maxStorageBufferRange = 1 << 27;
  EXPECT_EQ(describe(physical, 0, false).limits.max_binding, 1u << 27);
}

TEST(VulkanMemoryTypes, BuffersAreTheDevicesAndStagingIsCached) {
  const auto memory = memory_of_a_card();
  EXPECT_EQ(types_for(memory, Placement::device, ~0U).front(), 1u);
  EXPECT_EQ(types_for(memory, Placement::host, ~0U).front(), 3u);
  EXPECT_EQ(types_for(memory, Placement::host, 1U << 4), std::vector<std::uint32_t>{4});
}

TEST(VulkanSubgroups, AreThereWhereComputeShadersExchangeValues) {
  const auto row_of = [](std::uint32_t size, VkShaderStageFlags stages, VkSubgroupFeatureFlags operations) {
    Physical physical;
    physical.compute = Family{};
    physical.memory = memory_of_a_card();
    physical.version_1_1.subgroupSize = size;
    physical.version_1_1.subgroupSupportedStages = stages;
    physical.version_1_1.subgroupSupportedOperations = operations;
    return describe(physical, 0, false).capability(Feature::subgroups);
  };
  constexpr VkSubgroupFeatureFlags basic = VK_SUBGROUP_FEATURE_BASIC_BIT;
  constexpr VkSubgroupFeatureFlags some =
      basic | VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT;
  const Capability native = row_of(32, VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, some);
  EXPECT_EQ(native.support, Support::native);
  EXPECT_EQ(native.detail, "ballot, shuffle_relative");
  EXPECT_EQ(row_of(32, VK_SHADER_STAGE_FRAGMENT_BIT, some).support, Support::absent);
  EXPECT_EQ(row_of(32, VK_SHADER_STAGE_COMPUTE_BIT, basic).support, Support::absent);
  EXPECT_EQ(row_of(1, VK_SHADER_STAGE_COMPUTE_BIT, some).support, Support::absent);
}

}  // namespace
}  // namespace pintle::vulkan
