// A Vulkan driver without any of Pintle: its device, its memory, and what its validation layer says.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace pintle::foreign {

inline std::string complaint;  // the first error of the validation layer

inline void check(VkResult result, const char* what) {
  if (result != VK_SUCCESS) throw std::runtime_error(std::string(what) + " returned " + std::to_string(result));
}
#define CHECKED(call) check(call, #call)

inline VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                 VkDebugUtilsMessageTypeFlagsEXT,
                                                 const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  if (complaint.empty()) complaint = data->pMessage;
  return VK_FALSE;
}

inline std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

inline std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("There is no file " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// An instance and a device with every feature that shaders use and the driver has.
struct Driver {
  VkInstance instance{};
  VkPhysicalDevice physical{};
  VkDevice device{};
  VkQueue queue{};
  VkCommandPool pool{};
  std::uint32_t memory_type = 0;

  explicit Driver(const std::string& name) {
    make_instance();
    choose(name);
    make_device();
    choose_memory();
  }

 private:
  void make_instance() {
    VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    messenger.pfnUserCallback = on_message;
    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    std::uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    vkEnumerateInstanceLayerProperties(&count, layers.data());
    const char* layer = "VK_LAYER_KHRONOS_validation";
    const bool has_layer =
        std::ranges::any_of(layers, [&](const VkLayerProperties& one) { return !std::strcmp(one.layerName, layer); });
    const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    if (has_layer) {
      info.pNext = &messenger;
      info.enabledLayerCount = info.enabledExtensionCount = 1;
      info.ppEnabledLayerNames = &layer;
      info.ppEnabledExtensionNames = &extension;
    }
    CHECKED(vkCreateInstance(&info, nullptr, &instance));
    if (!has_layer) return;
    auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
    VkDebugUtilsMessengerEXT kept{};
    CHECKED(create(instance, &messenger, nullptr, &kept));
  }

  void choose(const std::string& name) {
    std::uint32_t count = 0;
    CHECKED(vkEnumeratePhysicalDevices(instance, &count, nullptr));
    std::vector<VkPhysicalDevice> found(count);
    CHECKED(vkEnumeratePhysicalDevices(instance, &count, found.data()));
    for (VkPhysicalDevice one : found) {
      VkPhysicalDeviceProperties properties;
      vkGetPhysicalDeviceProperties(one, &properties);
      if (lower(properties.deviceName).find(lower(name)) != std::string::npos) physical = one;
    }
    if (!physical) throw std::runtime_error("There is no Vulkan device " + name);
  }

  [[nodiscard]] std::vector<const char*> extensions() const {
    std::uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> found(count);
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, found.data());
    std::vector<const char*> wanted;
    for (const char* one : {VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, VK_KHR_SHADER_CLOCK_EXTENSION_NAME,
                            VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME})
      if (std::ranges::any_of(found, [&](const auto& has) { return !std::strcmp(has.extensionName, one); }))
        wanted.push_back(one);
    return wanted;
  }

  void make_device() {
    const std::vector<const char*> wanted = extensions();
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT floats{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
    VkPhysicalDeviceVulkan13Features third{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features second{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            .pNext = &third};
    VkPhysicalDeviceVulkan11Features first{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                           .pNext = &second};
    VkPhysicalDeviceFeatures2 features{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &first};
    if (std::ranges::any_of(
            wanted, [](const char* one) { return !std::strcmp(one, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME); }))
      third.pNext = &floats;
    vkGetPhysicalDeviceFeatures2(physical, &features);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queues{
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = &features,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queues,
                                  .enabledExtensionCount = static_cast<std::uint32_t>(wanted.size()),
                                  .ppEnabledExtensionNames = wanted.data()};
    CHECKED(vkCreateDevice(physical, &info, nullptr, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    const VkCommandPoolCreateInfo of_pool{.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    CHECKED(vkCreateCommandPool(device, &of_pool, nullptr, &pool));
  }

  void choose_memory() {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if ((memory.memoryTypes[i].propertyFlags & wanted) == wanted) memory_type = i;
  }
};

struct Mapped {
  VkBuffer buffer{};
  char* bytes = nullptr;
  std::size_t size = 0;
};

inline VkDeviceMemory memory_of(const Driver& driver, VkDeviceSize size) {
  const VkMemoryAllocateInfo info{
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = size, .memoryTypeIndex = driver.memory_type};
  VkDeviceMemory memory{};
  CHECKED(vkAllocateMemory(driver.device, &info, nullptr, &memory));
  return memory;
}

inline Mapped buffer_of(const Driver& driver, const std::vector<char>& bytes) {
  Mapped made;
  made.size = bytes.size();
  const VkBufferCreateInfo info{.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                .size = bytes.size(),
                                .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                         VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
  CHECKED(vkCreateBuffer(driver.device, &info, nullptr, &made.buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(driver.device, made.buffer, &needs);
  VkDeviceMemory memory = memory_of(driver, needs.size);
  CHECKED(vkBindBufferMemory(driver.device, made.buffer, memory, 0));
  void* address = nullptr;
  CHECKED(vkMapMemory(driver.device, memory, 0, VK_WHOLE_SIZE, 0, &address));
  made.bytes = static_cast<char*>(address);
  std::memcpy(made.bytes, bytes.data(), bytes.size());
  return made;
}

}  // namespace pintle::foreign
