// Texels as formats of Vulkan.
#pragma once

#include <vector>

#include "pintle/texel.h"
#include "vendor/vulkan/functions.h"

namespace pintle::vulkan {

[[nodiscard]] VkFormat format_of(Texel texel) noexcept;
/// What a device does with each in images of optimal tiling. A texel that kernels cannot read is left out.
[[nodiscard]] std::vector<TexelSupport> texels_of(const vendor::vulkan::InstanceFunctions& vk, VkPhysicalDevice device);

}  // namespace pintle::vulkan
