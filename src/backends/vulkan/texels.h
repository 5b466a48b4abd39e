// Texels as formats of Vulkan.
#pragma once

#include <array>
#include <vector>

#include "pintle/texel.h"
#include "vendor/vulkan/functions.h"

namespace pintle::vulkan {

[[nodiscard]] VkFormat format_of(Texel texel) noexcept;

/// How buffers of each texel may be used: as uniform texel buffers, as storage texel buffers.
struct TexelUsages {
  std::array<VkBufferUsageFlags, static_cast<std::size_t>(Texel::rgba32f) + 1> of_texel{};

  [[nodiscard]] static TexelUsages of(const vendor::vulkan::InstanceFunctions& vk, VkPhysicalDevice device);
  [[nodiscard]] VkBufferUsageFlags operator[](Texel texel) const noexcept {
    return of_texel[static_cast<std::size_t>(texel)];
  }
  [[nodiscard]] bool has(Texel texel, bool is_stored) const noexcept {
    const VkBufferUsageFlags wanted =
        is_stored ? VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT : VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    return ((*this)[texel] & wanted) != 0;
  }
  /// Those of any texel.
  [[nodiscard]] VkBufferUsageFlags all() const noexcept;
  /// What kernels do with each. A storage texel buffer may be read, too.
  [[nodiscard]] std::vector<TexelSupport> support() const;
};

/// What a device does with each in images of optimal tiling. A texel that kernels cannot read is left out.
[[nodiscard]] std::vector<TexelSupport> texels_of(const vendor::vulkan::InstanceFunctions& vk, VkPhysicalDevice device);

}  // namespace pintle::vulkan
