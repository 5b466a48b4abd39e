// What a driver answers, believed only as far as there is room for it: lists, texts and memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "vendor/vulkan/functions.h"

namespace pintle::vendor::vulkan {

/// The words in an array of letters, which a broken driver leaves without an end.
template <std::size_t Size>
[[nodiscard]] constexpr std::string_view text_of(const char (&letters)[Size]) noexcept {
  return std::string_view(letters, Size).substr(0, std::string_view(letters, Size).find('\0'));
}

/// Lists what `call(&count, items)` has: it is called without items for their number, and then with room for so many,
/// which is at most 65,536. A number that rises between the two calls is not believed. VK_INCOMPLETE counts as
/// VK_SUCCESS.
template <class Item, class Call>
[[nodiscard]] VkResult list(std::vector<Item>& items, Call call) {
  constexpr std::uint32_t most = 1 << 16;
  const auto ask = [&](std::uint32_t& count, Item* to) -> VkResult {
    if constexpr (std::is_void_v<decltype(call(&count, to))>) {
      call(&count, to);
      return VK_SUCCESS;
    } else {
      const VkResult answer = call(&count, to);
      return answer == VK_INCOMPLETE ? VK_SUCCESS : answer;
    }
  };
  items.clear();
  std::uint32_t count = 0;
  if (const VkResult counted = ask(count, nullptr); counted != VK_SUCCESS) return counted;
  const std::uint32_t room = count = std::min(count, most);
  items.resize(room);
  const VkResult listed = ask(count, items.data());
  items.resize(listed == VK_SUCCESS ? std::min(count, room) : 0);
  return listed;
}

/// The same where a refusal means that there is none.
template <class Item, class Call>
[[nodiscard]] std::vector<Item> listed(Call call) {
  std::vector<Item> items;
  static_cast<void>(list(items, call));
  return items;
}

/// Whether a header has each of these properties of memory.
[[nodiscard]] constexpr bool is_known(VkMemoryPropertyFlags properties) noexcept {
  constexpr VkMemoryPropertyFlags known =
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
      VK_MEMORY_PROPERTY_HOST_CACHED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
      VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD |
      VK_MEMORY_PROPERTY_RDMA_CAPABLE_BIT_NV;
  return (properties & ~known) == 0;
}

/// The heaps and types that have a place in the arrays. A type of a heap that is not there counts as one that nobody
/// may use without asking for it.
[[nodiscard]] inline VkPhysicalDeviceMemoryProperties believed(VkPhysicalDeviceMemoryProperties told) noexcept {
  told.memoryHeapCount = std::min<std::uint32_t>(told.memoryHeapCount, VK_MAX_MEMORY_HEAPS);
  told.memoryTypeCount = std::min<std::uint32_t>(told.memoryTypeCount, VK_MAX_MEMORY_TYPES);
  if (told.memoryHeapCount == 0) told.memoryTypeCount = 0;
  for (VkMemoryType& type : std::span(told.memoryTypes).first(told.memoryTypeCount)) {
    if (type.heapIndex >= told.memoryHeapCount) type = {VK_MEMORY_PROPERTY_PROTECTED_BIT, 0};
  }
  return told;
}

}  // namespace pintle::vendor::vulkan
