#include "backends/vulkan/texels.h"

#include <array>
#include <functional>
#include <numeric>

#include "kit/all_texels.h"

namespace pintle::vulkan {
namespace {

/// In the order of the texels.
constexpr std::array formats{
    VK_FORMAT_R8_UNORM,   VK_FORMAT_R8G8_UNORM,    VK_FORMAT_R8G8B8A8_UNORM,       // unorm8
    VK_FORMAT_R8_SNORM,   VK_FORMAT_R8G8_SNORM,    VK_FORMAT_R8G8B8A8_SNORM,       // snorm8
    VK_FORMAT_R8_UINT,    VK_FORMAT_R8G8_UINT,     VK_FORMAT_R8G8B8A8_UINT,        // u8
    VK_FORMAT_R8_SINT,    VK_FORMAT_R8G8_SINT,     VK_FORMAT_R8G8B8A8_SINT,        // i8
    VK_FORMAT_R16_UNORM,  VK_FORMAT_R16G16_UNORM,  VK_FORMAT_R16G16B16A16_UNORM,   // unorm16
    VK_FORMAT_R16_SNORM,  VK_FORMAT_R16G16_SNORM,  VK_FORMAT_R16G16B16A16_SNORM,   // snorm16
    VK_FORMAT_R16_UINT,   VK_FORMAT_R16G16_UINT,   VK_FORMAT_R16G16B16A16_UINT,    // u16
    VK_FORMAT_R16_SINT,   VK_FORMAT_R16G16_SINT,   VK_FORMAT_R16G16B16A16_SINT,    // i16
    VK_FORMAT_R32_UINT,   VK_FORMAT_R32G32_UINT,   VK_FORMAT_R32G32B32A32_UINT,    // u32
    VK_FORMAT_R32_SINT,   VK_FORMAT_R32G32_SINT,   VK_FORMAT_R32G32B32A32_SINT,    // i32
    VK_FORMAT_R16_SFLOAT, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT,  // f16
    VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT,  // f32
};
static_assert(formats.size() == static_cast<std::size_t>(Texel::rgba32f));

bool has_all(VkFormatFeatureFlags flags, VkFormatFeatureFlags wanted) noexcept { return (flags & wanted) == wanted; }

}  // namespace

VkFormat format_of(Texel texel) noexcept { return formats[static_cast<std::size_t>(texel) - 1]; }

std::vector<TexelSupport> texels_of(const vendor::vulkan::InstanceFunctions& vk, VkPhysicalDevice device) {
  constexpr VkFormatFeatureFlags read =
      VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
  std::vector<TexelSupport> texels;
  kit::for_each_texel([&](Texel texel) {
    VkFormatProperties properties{};
    vk.GetPhysicalDeviceFormatProperties(device, format_of(texel), &properties);
    const VkFormatFeatureFlags has = properties.optimalTilingFeatures;
    if (!has_all(has, read)) return;
    const bool is_stored = has_all(has, VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT);
    const bool is_filtered = has_all(has, VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
    texels.push_back({texel, is_stored ? Access::read_write : Access::read, is_filtered});
  });
  return texels;
}

TexelUsages TexelUsages::of(const vendor::vulkan::InstanceFunctions& vk, VkPhysicalDevice device) {
  TexelUsages usages;
  kit::for_each_texel([&](Texel texel) {
    VkFormatProperties properties{};
    vk.GetPhysicalDeviceFormatProperties(device, format_of(texel), &properties);
    VkBufferUsageFlags& usage = usages.of_texel[static_cast<std::size_t>(texel)];
    if (has_all(properties.bufferFeatures, VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT))
      usage |= VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    if (has_all(properties.bufferFeatures, VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT))
      usage |= VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
  });
  return usages;
}

VkBufferUsageFlags TexelUsages::all() const noexcept {
  return std::accumulate(of_texel.begin(), of_texel.end(), VkBufferUsageFlags{}, std::bit_or());
}

std::vector<TexelSupport> TexelUsages::support() const {
  std::vector<TexelSupport> texels;
  kit::for_each_texel([&](Texel texel) {
    if ((*this)[texel] != 0) texels.push_back({texel, has(texel, true) ? Access::read_write : Access::read, false});
  });
  return texels;
}

}  // namespace pintle::vulkan
