// What the habits of the layer for Vulkan share: each is a small layer over the ones before.
#pragma once

#include "common/habits.h"
#include "functions.h"
#include "vulkan_chain.h"

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

using test::find_in;

}  // namespace pintle::hostile
