// The samplers of a device: each is made at its first use, and stays.
#pragma once

#include <map>
#include <mutex>
#include <tuple>

#include "pintle/sampler.h"
#include "vendor/vulkan/functions.h"

namespace pintle::vulkan {

/// Thread-safe.
class Samplers {
 public:
  /// The type of what is read beyond an image's border.
  enum class Border : std::uint8_t { floats, integers };

  /// `sampler` becomes the native one.
  [[nodiscard]] VkResult find(const vendor::vulkan::DeviceFunctions& vk, VkDevice device, const Sampler& wanted,
                              Border border, VkSampler& sampler);
  void destroy(const vendor::vulkan::DeviceFunctions& vk, VkDevice device) noexcept;

 private:
  using Key = std::tuple<Filter, Address, Coordinates, Border>;

  std::mutex mutex_;
  std::map<Key, VkSampler> all_;
};

}  // namespace pintle::vulkan
