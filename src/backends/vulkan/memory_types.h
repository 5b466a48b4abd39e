// Which of a device's memory types serve which placement, best first.
#pragma once

#include <cstdint>
#include <vector>

#include "pintle/info.h"
#include "vendor/vulkan/functions.h"

namespace pintle::vulkan {

/// Host-visible and coherent: what this backend maps.
[[nodiscard]] bool is_mappable(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type) noexcept;

/// Types for `placement`, best first: another is tried where one has no room. Types of `allowed` (a bit for each) only.
[[nodiscard]] std::vector<std::uint32_t> types_for(const VkPhysicalDeviceMemoryProperties& memory, Placement placement,
                                                   std::uint32_t allowed);

/// Bytes of the largest heap.
[[nodiscard]] VkDeviceSize largest_heap(const VkPhysicalDeviceMemoryProperties& memory) noexcept;

}  // namespace pintle::vulkan
