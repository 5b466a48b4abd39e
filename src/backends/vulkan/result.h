// What Vulkan answers, as errors.
#pragma once

#include <string_view>

#include "pintle/error.h"
#include "vendor/vulkan/functions.h"

namespace pintle::vulkan {

/// "VK_ERROR_DEVICE_LOST"; "VkResult" for a number that this version does not know.
[[nodiscard]] std::string_view name(VkResult result) noexcept;

/// `call` is the function that answered: "vkQueueSubmit".
[[nodiscard]] Error error_of(VkResult result, std::string_view call);

}  // namespace pintle::vulkan
