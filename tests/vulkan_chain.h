// Chains of Vulkan's structures.
#pragma once

#include <vulkan/vulkan_core.h>

namespace pintle::test {

/// The structure of this type in a chain; null where there is none.
template <class T>
[[nodiscard]] T* find_in(void* chain, VkStructureType type) noexcept {
  for (auto* each = static_cast<VkBaseOutStructure*>(chain); each != nullptr; each = each->pNext) {
    if (each->sType == type) return reinterpret_cast<T*>(each);
  }
  return nullptr;
}
template <class T>
[[nodiscard]] const T* find_in(const void* chain, VkStructureType type) noexcept {
  return find_in<T>(const_cast<void*>(chain), type);
}

}  // namespace pintle::test
