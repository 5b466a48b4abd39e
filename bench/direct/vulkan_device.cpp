#include "bench/direct/vulkan_device.h"

#include <fmt/format.h>

#include "base/quote.h"

namespace pintle::bench {
namespace {

std::string hex_of(const std::uint8_t (&uuid)[VK_UUID_SIZE]) {
  std::string text;
  for (const std::uint8_t byte : uuid) text += fmt::format("{:02x}", byte);
  return text;
}

bool is_target(const VulkanInstance& instance, VkPhysicalDevice device, const Target& target) {
  VkPhysicalDeviceIDProperties ids{};
  ids.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &ids, {}};
  instance.GetPhysicalDeviceProperties2(device, &all);
  return all.properties.deviceName == target.name && hex_of(ids.deviceUUID) == target.mark;
}

}  // namespace

Result<void> VulkanDevice::open(const Target& target) {
  PINTLE_ASSIGN(instance, VulkanInstance::open());
  instance_ = instance;
  PINTLE_TRY(find(target));
  PINTLE_TRY(find_family());
  constexpr float priority = 1;
  const VkDeviceQueueCreateInfo one{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family, 1, &priority};
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{};
  timelines.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
  timelines.timelineSemaphore = VK_TRUE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &timelines;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &one;
  PINTLE_TRY(check_call(instance_->CreateDevice(physical_, &info, nullptr, &handle), "vkCreateDevice"));
  PINTLE_TRY(vk.load(instance_->GetDeviceProcAddr, handle));
  vk.GetDeviceQueue(handle, family, 0, &queue);
  return {};
}

VulkanDevice::~VulkanDevice() {
  if (vk.DestroyDevice != nullptr) vk.DestroyDevice(handle, nullptr);
}

Result<void> VulkanDevice::find(const Target& target) {
  std::uint32_t count = 0;
  PINTLE_TRY(check_call(instance_->EnumeratePhysicalDevices(instance_->handle, &count, nullptr),
                        "vkEnumeratePhysicalDevices"));
  std::vector<VkPhysicalDevice> all(count);
  PINTLE_TRY(check_call(instance_->EnumeratePhysicalDevices(instance_->handle, &count, all.data()),
                        "vkEnumeratePhysicalDevices"));
  std::size_t before = 0;
  for (const VkPhysicalDevice device : all) {
    if (!is_target(*instance_, device, target) || before++ != target.before) continue;
    physical_ = device;
    return {};
  }
  return Error(Errc::not_found, fmt::format("The reference finds no Vulkan device {} ({}) with ({}) before it.",
                                            base::quote(target.name), target.mark, target.before));
}

Result<void> VulkanDevice::find_family() {
  std::uint32_t count = 0;
  instance_->GetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> all(count);
  instance_->GetPhysicalDeviceQueueFamilyProperties(physical_, &count, all.data());
  for (family = 0; family < count; ++family) {
    if ((all[family].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) return {};
  }
  return Error(Errc::unsupported, "The reference finds no queue family that computes.");
}

Result<std::uint32_t> VulkanDevice::mappable_type(std::uint32_t allowed) const {
  constexpr VkMemoryPropertyFlags needed = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory;
  instance_->GetPhysicalDeviceMemoryProperties(physical_, &memory);
  constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT, none = 0;
  for (const VkMemoryPropertyFlags wish : {cached | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, cached, none}) {
    for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
      const bool fits = (memory.memoryTypes[type].propertyFlags & (needed | wish)) == (needed | wish);
      if (fits && (allowed >> type & 1) != 0) return type;
    }
  }
  return Error(Errc::unsupported, "The reference finds no memory that the host can map.");
}

VulkanMemory::~VulkanMemory() {
  if (buffer_ != VK_NULL_HANDLE) device_.vk.DestroyBuffer(device_.handle, buffer_, nullptr);
  if (memory_ != VK_NULL_HANDLE) device_.vk.FreeMemory(device_.handle, memory_, nullptr);
}

Result<void> VulkanMemory::allocate(std::size_t size) {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  PINTLE_TRY(check_call(device_.vk.CreateBuffer(device_.handle, &info, nullptr, &buffer_), "vkCreateBuffer"));
  VkMemoryRequirements needs;
  device_.vk.GetBufferMemoryRequirements(device_.handle, buffer_, &needs);
  PINTLE_ASSIGN(type, device_.mappable_type(needs.memoryTypeBits));
  const VkMemoryAllocateInfo request{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
  PINTLE_TRY(check_call(device_.vk.AllocateMemory(device_.handle, &request, nullptr, &memory_), "vkAllocateMemory"));
  PINTLE_TRY(check_call(device_.vk.BindBufferMemory(device_.handle, buffer_, memory_, 0), "vkBindBufferMemory"));
  void* place = nullptr;
  PINTLE_TRY(check_call(device_.vk.MapMemory(device_.handle, memory_, 0, VK_WHOLE_SIZE, 0, &place), "vkMapMemory"));
  mapped_ = static_cast<std::byte*>(place);
  return {};
}

}  // namespace pintle::bench
