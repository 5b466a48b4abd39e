// Images of a Vulkan driver without Pintle. Each stays in the layout `general`, which every use allows.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host_vulkan_driver.h"

namespace pintle::foreign {

/// An image with what it is read through, and a buffer with its texels.
struct Imaged {
  VkImage image{};
  VkImageView view{};
  VkSampler sampler{};
  Mapped texels;
  VkExtent3D extent{};
};

inline VkFormat format_of(std::string_view texel) {
  static constexpr std::array<std::pair<std::string_view, VkFormat>, 11> formats{{
      {"r8", VK_FORMAT_R8_UNORM},
      {"rgba8", VK_FORMAT_R8G8B8A8_UNORM},
      {"rgba8ui", VK_FORMAT_R8G8B8A8_UINT},
      {"r16f", VK_FORMAT_R16_SFLOAT},
      {"rgba16f", VK_FORMAT_R16G16B16A16_SFLOAT},
      {"r32f", VK_FORMAT_R32_SFLOAT},
      {"rgba32f", VK_FORMAT_R32G32B32A32_SFLOAT},
      {"r32i", VK_FORMAT_R32_SINT},
      {"rgba32i", VK_FORMAT_R32G32B32A32_SINT},
      {"r32ui", VK_FORMAT_R32_UINT},
      {"rgba32ui", VK_FORMAT_R32G32B32A32_UINT},
  }};
  const auto* found = std::ranges::find(formats, texel, &std::pair<std::string_view, VkFormat>::first);
  if (found == formats.end()) throw std::runtime_error("This host has no format for " + std::string(texel));
  return found->second;
}

/// Nearest, the edge outside, coordinates from 0 to 1: what a `Sampler` of Pintle is where nobody says more.
inline VkSampler sampler_of(const Driver& driver) {
  const VkSamplerCreateInfo info{.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                 .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                 .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                                 .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
  VkSampler sampler{};
  CHECKED(vkCreateSampler(driver.device, &info, nullptr, &sampler));
  return sampler;
}

inline VkImage bare_image(const Driver& driver, VkFormat format, const VkExtent3D& extent, bool is_sampled) {
  const VkImageCreateInfo info{
      .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
      .imageType = extent.depth > 1 ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
      .format = format,
      .extent = extent,
      .mipLevels = 1,
      .arrayLayers = 1,
      .samples = VK_SAMPLE_COUNT_1_BIT,
      .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
               VkImageUsageFlags{is_sampled ? VK_IMAGE_USAGE_SAMPLED_BIT : VK_IMAGE_USAGE_STORAGE_BIT}};
  VkImage image{};
  CHECKED(vkCreateImage(driver.device, &info, nullptr, &image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(driver.device, image, &needs);
  CHECKED(vkBindImageMemory(driver.device, image, memory_of(driver, needs.size), 0));
  return image;
}

constexpr VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

/// An image as a plan has it, {"texel": "rgba8", "sides": [32, 32]}.
inline Imaged image_of(const Driver& driver, const nlohmann::json& of, bool is_sampled,
                       const std::vector<char>& bytes) {
  const auto sides = of.at("sides").get<std::vector<std::uint32_t>>();
  Imaged made{.texels = buffer_of(driver, bytes),
              .extent = {sides.at(0), sides.at(1), sides.size() > 2 ? sides[2] : 1}};
  const VkFormat format = format_of(of.at("texel").get<std::string>());
  made.image = bare_image(driver, format, made.extent, is_sampled);
  const VkImageViewCreateInfo info{.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                   .image = made.image,
                                   .viewType = sides.size() > 2 ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D,
                                   .format = format,
                                   .subresourceRange = whole};
  CHECKED(vkCreateImageView(driver.device, &info, nullptr, &made.view));
  if (is_sampled) made.sampler = sampler_of(driver);
  return made;
}

/// What came before is done, and seen by what follows.
inline void wait_inside(VkCommandBuffer commands, const Imaged& image, VkImageLayout from) {
  const VkImageMemoryBarrier barrier{.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                     .oldLayout = from,
                                     .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                     .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .image = image.image,
                                     .subresourceRange = whole};
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                       0, nullptr, 1, &barrier);
}

inline VkBufferImageCopy copy_of(const Imaged& image) {
  return {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = image.extent};
}

/// Before a dispatch: the buffer's texels go to the image.
inline void fill(VkCommandBuffer commands, const Imaged& image) {
  const VkBufferImageCopy copy = copy_of(image);
  wait_inside(commands, image, VK_IMAGE_LAYOUT_UNDEFINED);
  vkCmdCopyBufferToImage(commands, image.texels.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  wait_inside(commands, image, VK_IMAGE_LAYOUT_GENERAL);
}

/// Behind a dispatch: the image's texels go to the buffer.
inline void fetch(VkCommandBuffer commands, const Imaged& image) {
  const VkBufferImageCopy copy = copy_of(image);
  wait_inside(commands, image, VK_IMAGE_LAYOUT_GENERAL);
  vkCmdCopyImageToBuffer(commands, image.image, VK_IMAGE_LAYOUT_GENERAL, image.texels.buffer, 1, &copy);
}

}  // namespace pintle::foreign
