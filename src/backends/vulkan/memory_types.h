// Which of a device's memory types serve which placement, best first.
#pragma once

#include <cstdint>
#include <vector>

#include "pintle/info.h"
#include "pintle/placement.h"
#include "vendor/vulkan/answers.h"

namespace pintle::vulkan {

/// Host-visible and coherent: what this backend maps.
[[nodiscard]] bool is_mappable(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type) noexcept;

/// The types for `placement`, best first: the next is tried where one has no room. Only types in `allowed` (a bit for
/// each).
[[nodiscard]] std::vector<std::uint32_t> types_for(const VkPhysicalDeviceMemoryProperties& memory, Placement placement,
                                                   std::uint32_t allowed);

/// Bytes of the largest heap.
[[nodiscard]] VkDeviceSize largest_heap(const VkPhysicalDeviceMemoryProperties& memory) noexcept;

}  // namespace pintle::vulkan
