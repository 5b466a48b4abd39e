// What the habits of the layer for Vulkan share: each is a small layer over the ones before.
#pragma once

#include "common/habits.h"
#include "functions.h"

namespace pintle::hostile {

/// Puts the functions of a habit into the table, and keeps what stood there for its own calls. It is called again where
/// a later device has functions that the first one lacks.
using Install = void (*)(Functions& table);

void install_device_name(Functions& table);
void install_queues(Functions& table);
void install_forks(Functions& table);
void install_second_family(Functions& table);
void install_discrete_memory(Functions& table);
void install_incoherent_memory(Functions& table);
void install_refused_imports(Functions& table);
void install_late_submissions(Functions& table);
void install_dead_device(Functions& table);
void install_lost_submission(Functions& table);
void install_nonsense(Functions& table);

/// From now on the device answers VK_ERROR_DEVICE_LOST, where the habit `dead_device` is on.
void lose(VkDevice device);
[[nodiscard]] bool is_lost(VkDevice device);

/// Null for a queue that nobody has asked the device for.
[[nodiscard]] VkDevice device_of(VkQueue queue);

/// The structure of this type in a chain; null where there is none.
template <class T>
[[nodiscard]] T* find_in(void* chain, VkStructureType type) {
  for (auto* each = static_cast<VkBaseOutStructure*>(chain); each != nullptr; each = each->pNext) {
    if (each->sType == type) return reinterpret_cast<T*>(each);
  }
  return nullptr;
}
template <class T>
[[nodiscard]] const T* find_in(const void* chain, VkStructureType type) {
  return find_in<T>(const_cast<void*>(chain), type);
}

}  // namespace pintle::hostile
