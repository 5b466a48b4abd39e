#include "backends/vulkan/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace pintle::vulkan {
namespace {

using Name = std::pair<VkResult, std::string_view>;

constexpr std::array names{
    Name{VK_SUCCESS, "VK_SUCCESS"},
    Name{VK_NOT_READY, "VK_NOT_READY"},
    Name{VK_TIMEOUT, "VK_TIMEOUT"},
    Name{VK_INCOMPLETE, "VK_INCOMPLETE"},
    Name{VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY"},
    Name{VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY"},
    Name{VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED"},
    Name{VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST"},
    Name{VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED"},
    Name{VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT"},
    Name{VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT"},
    Name{VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT"},
    Name{VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER"},
    Name{VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS"},
    Name{VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL"},
    Name{VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN"},
    Name{VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY"},
    Name{VK_ERROR_INVALID_EXTERNAL_HANDLE, "VK_ERROR_INVALID_EXTERNAL_HANDLE"},
    Name{VK_ERROR_FRAGMENTATION, "VK_ERROR_FRAGMENTATION"},
    Name{VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, "VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS"},
    Name{VK_PIPELINE_COMPILE_REQUIRED, "VK_PIPELINE_COMPILE_REQUIRED"},
    Name{VK_ERROR_VALIDATION_FAILED_EXT, "VK_ERROR_VALIDATION_FAILED_EXT"},
    Name{VK_ERROR_INVALID_SHADER_NV, "VK_ERROR_INVALID_SHADER_NV"},
    Name{VK_ERROR_NOT_PERMITTED_KHR, "VK_ERROR_NOT_PERMITTED_KHR"},
};

Errc code_of(VkResult result) noexcept {
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

}  // namespace

std::string_view name(VkResult result) noexcept {
  const auto found = std::ranges::find(names, result, &Name::first);
  return found == names.end() ? "VkResult" : found->second;
}

Error error_of(VkResult result, std::string_view call) {
  const auto number = static_cast<int>(result);
  return Error(code_of(result), fmt::format("Call {} answers {} ({}).", call, name(result), number))
      .with_vendor({"Vulkan", number, std::string(name(result))});
}

}  // namespace pintle::vulkan
