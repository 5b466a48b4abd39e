#include "backends/vulkan/samplers.h"

namespace pintle::vulkan {
namespace {

VkSamplerAddressMode mode_of(Address address) noexcept {
  switch (address) {
    case Address::border: return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    case Address::repeat: return VK_SAMPLER_ADDRESS_MODE_REPEAT;
    case Address::mirror: return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    case Address::edge: break;
  }
  return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
}

VkSamplerCreateInfo info_of(const Sampler& wanted, Samplers::Border border) noexcept {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = wanted.filter == Filter::linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
  info.minFilter = info.magFilter;
  info.addressModeU = info.addressModeV = info.addressModeW = mode_of(wanted.address);
  info.borderColor = border == Samplers::Border::integers ? VK_BORDER_COLOR_INT_TRANSPARENT_BLACK
                                                          : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
  info.unnormalizedCoordinates = wanted.coordinates == Coordinates::texels ? VK_TRUE : VK_FALSE;
  return info;
}

}  // namespace

VkResult Samplers::find(const vendor::vulkan::DeviceFunctions& vk, VkDevice device, const Sampler& wanted,
                        Border border, VkSampler& sampler) {
  const std::lock_guard lock(mutex_);
  VkSampler& kept = all_[{wanted.filter, wanted.address, wanted.coordinates, border}];
  const VkSamplerCreateInfo info = info_of(wanted, border);
  const VkResult made = kept == VK_NULL_HANDLE ? vk.CreateSampler(device, &info, nullptr, &kept) : VK_SUCCESS;
  if (made != VK_SUCCESS) kept = VK_NULL_HANDLE;
  sampler = kept;
  return made;
}

void Samplers::destroy(const vendor::vulkan::DeviceFunctions& vk, VkDevice device) noexcept {
  for (const auto& [key, sampler] : all_) vk.DestroySampler(device, sampler, nullptr);
}

}  // namespace pintle::vulkan
