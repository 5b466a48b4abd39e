#include "backends/vulkan/memory_types.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace pintle::vulkan {
namespace {

constexpr VkMemoryPropertyFlags mappable = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags special = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                          VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD |
                                          VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;

bool has_all(VkMemoryPropertyFlags flags, VkMemoryPropertyFlags wanted) noexcept { return (flags & wanted) == wanted; }

/// Device-local memory that the host can map is the best, unless it is a small window on the device's memory.
int rank_for_device(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type) noexcept {
  const VkMemoryType& one = memory.memoryTypes[type];
  const bool is_window = memory.memoryHeaps[one.heapIndex].size < largest_heap(memory) / 2;
  int rank = has_all(one.propertyFlags, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) && !is_window ? 2 : 0;
  if (has_all(one.propertyFlags, mappable)) ++rank;
  return rank;
}

/// The host reads this memory often, so cached types are better. Device-local types are worse, since their memory is
/// scarce.
int rank_for_host(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type) noexcept {
  const VkMemoryPropertyFlags flags = memory.memoryTypes[type].propertyFlags;
  int rank = has_all(flags, mappable) ? 4 : 0;
  if (has_all(flags, VK_MEMORY_PROPERTY_HOST_CACHED_BIT)) rank += 2;
  if (!has_all(flags, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)) ++rank;
  return rank;
}

}  // namespace

bool is_mappable(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t type) noexcept {
  return has_all(memory.memoryTypes[type].propertyFlags, mappable);
}

std::vector<std::uint32_t> types_for(const VkPhysicalDeviceMemoryProperties& memory, Placement placement,
                                     std::uint32_t allowed) {
  std::vector<std::uint32_t> types;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    if ((allowed >> type & 1) == 0 || (memory.memoryTypes[type].propertyFlags & special) != 0) continue;
    if (placement == Placement::host && !is_mappable(memory, type)) continue;
    types.push_back(type);
  }
  const auto rank = placement == Placement::host ? rank_for_host : rank_for_device;
  // A type with a property that no header has is the last choice. Among equals the driver's order counts.
  const auto place = [&](std::uint32_t type) {
    const bool is_known = vendor::vulkan::is_known(memory.memoryTypes[type].propertyFlags);
    return std::tuple(!is_known, -rank(memory, type), type);
  };
  std::ranges::sort(types, std::ranges::less(), place);
  return types;
}

VkDeviceSize largest_heap(const VkPhysicalDeviceMemoryProperties& memory) noexcept {
  VkDeviceSize largest = 0;
  for (const VkMemoryHeap& heap : std::span(memory.memoryHeaps).first(memory.memoryHeapCount))
    largest = std::max(largest, heap.size);
  return largest;
}

}  // namespace pintle::vulkan
