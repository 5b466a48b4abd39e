// What a device's subgroups can do, in words.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "vendor/vulkan/functions.h"

namespace pintle::vendor::vulkan {

/// How work-items of a subgroup exchange values in compute shaders: "vote, ballot"; empty where they do not.
[[nodiscard]] inline std::string subgroup_operations(const VkPhysicalDeviceVulkan11Properties& properties) {
  constexpr std::pair<VkSubgroupFeatureFlags, std::string_view> names[] = {
      {VK_SUBGROUP_FEATURE_VOTE_BIT, "vote"},
      {VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, "arithmetic"},
      {VK_SUBGROUP_FEATURE_BALLOT_BIT, "ballot"},
      {VK_SUBGROUP_FEATURE_SHUFFLE_BIT, "shuffle"},
      {VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, "shuffle_relative"},
      {VK_SUBGROUP_FEATURE_CLUSTERED_BIT, "clustered"},
      {VK_SUBGROUP_FEATURE_QUAD_BIT, "quad"}};
  std::string text;
  const bool computes = (properties.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  if (!computes || properties.subgroupSize < 2) return text;
  for (const auto& [operation, name] : names) {
    if ((properties.subgroupSupportedOperations & operation) == 0) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name);
  }
  return text;
}

}  // namespace pintle::vendor::vulkan
