// The loader of Vulkan with one instance.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/dylib.h"
#include "base/platform.h"
#include "base/quote.h"
#include "vendor/vulkan/answers.h"
#include "vendor/vulkan/functions.h"
#include "vendor/vulkan/result.h"

namespace pintle::vendor::vulkan {

/// The places where the loader looks for drivers, for messages.
[[nodiscard]] inline std::string driver_places() {
  for (const char* const variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    if (const char* const value = base::variable(variable); value != nullptr && *value != '\0')
      return fmt::format("{}={}", variable, base::quote(value, 4096));
  }
  return "the system's folders of driver manifests (vulkan/icd.d)";
}

class Instance {
 public:
  /// `unavailable` names what was opened and what the loader answered.
  [[nodiscard]] static Result<std::unique_ptr<Instance>> create() {
    std::unique_ptr<Instance> instance(new Instance);
    PINTLE_ASSIGN(entry, instance->open_loader());
    GlobalFunctions global;
    PINTLE_TRY(global.load(entry));
    PINTLE_TRY(check_version(global));
    PINTLE_TRY(instance->create_handle(global));
    PINTLE_TRY(instance->vk_.load(entry, instance->handle_));
    return instance;
  }
  /// Wraps an instance that the caller keeps. Where `entry` is null, the loader's is used.
  [[nodiscard]] static Result<std::unique_ptr<Instance>> wrap(VkInstance handle, PFN_vkGetInstanceProcAddr entry) {
    std::unique_ptr<Instance> instance(new Instance);
    if (entry == nullptr) {
      PINTLE_ASSIGN(found, instance->open_loader());
      entry = found;
    }
    PINTLE_TRY(instance->vk_.load(entry, handle));
    instance->handle_ = handle;
    instance->is_wrapped_ = true;
    return instance;
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() {
    if (handle_ != nullptr && !is_wrapped_ && vk_.DestroyInstance != nullptr) vk_.DestroyInstance(handle_, nullptr);
  }

  [[nodiscard]] const InstanceFunctions& functions() const noexcept { return vk_; }
  [[nodiscard]] VkInstance handle() const noexcept { return handle_; }

  /// The devices, in the loader's order.
  [[nodiscard]] Result<std::vector<VkPhysicalDevice>> physical_devices() const {
    std::vector<VkPhysicalDevice> all;
    const VkResult listed = list(all, [&](std::uint32_t* count, VkPhysicalDevice* devices) {
      return vk_.EnumeratePhysicalDevices(handle_, count, devices);
    });
    if (listed != VK_SUCCESS) return error_of(listed, "vkEnumeratePhysicalDevices");
    std::erase(all, VkPhysicalDevice{});
    return all;
  }

 private:
  Instance() noexcept = default;

  [[nodiscard]] Result<PFN_vkGetInstanceProcAddr> open_loader() {
    PINTLE_ASSIGN(loader, base::Dylib::open("libvulkan.so.1"));
    loader_ = std::move(loader);
    return loader_.function<std::remove_pointer_t<PFN_vkGetInstanceProcAddr>>("vkGetInstanceProcAddr");
  }

  [[nodiscard]] static Result<void> check_version(const GlobalFunctions& vk) {
    std::uint32_t version = VK_API_VERSION_1_0;
    vk.EnumerateInstanceVersion(&version);
    if (version >= VK_API_VERSION_1_2) return {};
    return Error(Errc::unavailable,
                 fmt::format("Version ({}.{}) of the Vulkan loader is lower than the least that is used (1.2).",
                             VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version)));
  }

  /// Drivers that are no whole Vulkan are listed where the loader can do that. The loader is asked by trying: to list
  /// what it can do takes as long as making an instance.
  [[nodiscard]] VkResult try_handle(const GlobalFunctions& vk, bool with_portability) {
    constexpr const char* portability = "VK_KHR_portability_enumeration";
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.pEngineName = "pintle";
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    if (with_portability) {
      info.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
      info.enabledExtensionCount = 1;
      info.ppEnabledExtensionNames = &portability;
    }
    const VkResult created = vk.CreateInstance(&info, nullptr, &handle_);
    if (created != VK_SUCCESS) handle_ = nullptr;
    return created;
  }

  [[nodiscard]] Result<void> create_handle(const GlobalFunctions& vk) {
    VkResult created = try_handle(vk, true);
    if (created == VK_ERROR_EXTENSION_NOT_PRESENT) created = try_handle(vk, false);
    if (created == VK_SUCCESS) return {};
    const Error error = error_of(created, "vkCreateInstance");
    return Error(Errc::unavailable, fmt::format("{} The drivers are taken from {}.", error.message(), driver_places()))
        .with_vendor(*error.vendor());
  }

  base::Dylib loader_;
  VkInstance handle_ = nullptr;
  bool is_wrapped_ = false;
  InstanceFunctions vk_;
};

}  // namespace pintle::vendor::vulkan
