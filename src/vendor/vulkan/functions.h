// Vulkan without linking it: tables of functions, filled through vkGetInstanceProcAddr and vkGetDeviceProcAddr.
#pragma once

#define VK_NO_PROTOTYPES
#include <fmt/format.h>
#include <vulkan/vulkan_core.h>

#include <string_view>

#include "pintle/error.h"

namespace pintle::vendor::vulkan {

[[nodiscard]] inline Error missing_function(std::string_view name) {
  return {Errc::unavailable, fmt::format("Function ({}) is not in the Vulkan driver.", name)};
}

/// What a table's `load` does for one required function.
#define VULKAN_REQUIRED(name)                             \
  name = reinterpret_cast<PFN_vk##name>(get("vk" #name)); \
  if (name == nullptr) return missing_function("vk" #name);
#define VULKAN_OPTIONAL(name) name = reinterpret_cast<PFN_vk##name>(get("vk" #name));
#define VULKAN_MEMBER(name) PFN_vk##name name = nullptr;

/// Functions that exist before an instance does.
struct GlobalFunctions {
#define VULKAN_GLOBAL VULKAN_MEMBER
#include "vendor/vulkan/symbols.inc"
#undef VULKAN_GLOBAL

  [[nodiscard]] Result<void> load(PFN_vkGetInstanceProcAddr loader) {
    const auto get = [&](const char* name) { return loader(nullptr, name); };
#define VULKAN_GLOBAL VULKAN_REQUIRED
#include "vendor/vulkan/symbols.inc"
#undef VULKAN_GLOBAL
    return {};
  }
};

struct InstanceFunctions {
#define VULKAN_INSTANCE VULKAN_MEMBER
#define VULKAN_INSTANCE_OPTIONAL VULKAN_MEMBER
#include "vendor/vulkan/symbols.inc"
#undef VULKAN_INSTANCE
#undef VULKAN_INSTANCE_OPTIONAL

  [[nodiscard]] Result<void> load(PFN_vkGetInstanceProcAddr loader, VkInstance instance) {
    const auto get = [&](const char* name) { return loader(instance, name); };
#define VULKAN_INSTANCE VULKAN_REQUIRED
#define VULKAN_INSTANCE_OPTIONAL VULKAN_OPTIONAL
#include "vendor/vulkan/symbols.inc"
#undef VULKAN_INSTANCE
#undef VULKAN_INSTANCE_OPTIONAL
    return {};
  }
};

struct DeviceFunctions {
#define VULKAN_DEVICE VULKAN_MEMBER
#define VULKAN_DEVICE_OPTIONAL VULKAN_MEMBER
#include "vendor/vulkan/symbols.inc"
#undef VULKAN_DEVICE
#undef VULKAN_DEVICE_OPTIONAL

  [[nodiscard]] Result<void> load(PFN_vkGetDeviceProcAddr loader, VkDevice device) {
    const auto get = [&](const char* name) { return loader(device, name); };
#define VULKAN_DEVICE VULKAN_REQUIRED
#define VULKAN_DEVICE_OPTIONAL VULKAN_OPTIONAL
#include "vendor/vulkan/symbols.inc"
#undef VULKAN_DEVICE
#undef VULKAN_DEVICE_OPTIONAL
    return {};
  }
};

#undef VULKAN_REQUIRED
#undef VULKAN_OPTIONAL
#undef VULKAN_MEMBER

}  // namespace pintle::vendor::vulkan
