// Vulkan's results as errors.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "pintle/error.h"
#include "vendor/vulkan/functions.h"

namespace pintle::vendor::vulkan {

using ResultName = std::pair<VkResult, std::string_view>;

inline constexpr std::array result_names{
    ResultName{VK_SUCCESS, "VK_SUCCESS"},
    ResultName{VK_NOT_READY, "VK_NOT_READY"},
    ResultName{VK_TIMEOUT, "VK_TIMEOUT"},
    ResultName{VK_INCOMPLETE, "VK_INCOMPLETE"},
    ResultName{VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY"},
    ResultName{VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
    ResultName{VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED"},
    ResultName{VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST"},
    ResultName{VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED"},
    ResultName{VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT"},
    ResultName{VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT"},
    ResultName{VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT"},
    ResultName{VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER"},
    ResultName{VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS"},
    ResultName{VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL"},
    ResultName{VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN"},
    ResultName{VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY"},
    ResultName{VK_ERROR_INVALID_EXTERNAL_HANDLE, "VK_ERROR_INVALID_EXTERNAL_HANDLE"},
    ResultName{VK_ERROR_FRAGMENTATION, "VK_ERROR_FRAGMENTATION"},
    ResultName{VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS"},
    ResultName{VK_PIPELINE_COMPILE_REQUIRED, "VK_PIPELINE_COMPILE_REQUIRED"},
    ResultName{VK_ERROR_VALIDATION_FAILED_EXT, "VK_ERROR_VALIDATION_FAILED_EXT"},
    ResultName{VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV"},
    ResultName{VK_ERROR_NOT_PERMITTED_KHR, "VK_ERROR_NOT_PERMITTED_KHR"},
};

inline Errc code_of(VkResult result) noexcept {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_FRAGMENTATION: return Errc::out_of_memory;
    case VK_ERROR_DEVICE_LOST: return Errc::device_lost;
    case VK_TIMEOUT: return Errc::timeout;
    case VK_ERROR_INCOMPATIBLE_DRIVER:
    case VK_ERROR_INITIALIZATION_FAILED:
    case VK_ERROR_LAYER_NOT_PRESENT: return Errc::unavailable;
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT: return Errc::unsupported;
    case VK_ERROR_INVALID_EXTERNAL_HANDLE: return Errc::invalid_argument;
    case VK_ERROR_INVALID_SHADER_NV: return Errc::build_failed;
    default: return Errc::internal;
  }
}

/// "VK_ERROR_DEVICE_LOST"; "VkResult" for a number that this version does not know.
[[nodiscard]] inline std::string_view name(VkResult result) noexcept {
  const auto* const found = std::ranges::find(result_names, result, &ResultName::first);
  return found == result_names.end() ? "VkResult" : found->second;
}

/// `call` is the function that returned the result: "vkQueueSubmit".
[[nodiscard]] inline Error error_of(VkResult result, std::string_view call) {
  const auto number = static_cast<int>(result);
  return Error(code_of(result), fmt::format("Call {} answers {} ({}).", call, name(result), number))
      .with_vendor({"Vulkan", number, std::string(name(result))});
}

}  // namespace pintle::vendor::vulkan
