// Work of the test's own on a device of the vulkan backend, past the backend.
#pragma once

#include <array>

#include "pintle/error.h"
#include "pintle/native/vulkan.h"

namespace pintle::test {

enum class Barrier : std::uint8_t { missing, kept };

/// Copies from each memory to the next one, every copy a vkQueueSubmit of its own, and waits. The device is idle
/// before.
Result<void> copy_in_batches(const vulkan::VulkanDevice& device, const std::array<vulkan::VulkanMemory, 3>& chain,
                             Barrier barrier);

}  // namespace pintle::test
