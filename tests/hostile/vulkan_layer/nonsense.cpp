// A broken driver, by what HOSTILE_NONSENSE names: `long_name` (names without an end), `no_devices` (none when they are
// asked for, one when they are counted), `growing_counts` (more when they are read than when they were counted),
// `enumerators` (a type of device, a driver, clocks, and properties of memory and formats that no header has), `ticks`
// (no number), `crash` (at the first question).
#include <cmath>
#include <cstring>

#include "habit.h"

namespace pintle::hostile {
namespace {

constexpr int unheard_of = 4'711;
constexpr std::uint32_t unheard_of_bit = 1U << 30;
constexpr std::uint32_t growth = 1 << 20;

Functions next;

VKAPI_ATTR VkResult VKAPI_CALL get_devices(VkInstance instance, std::uint32_t* count, VkPhysicalDevice* devices) {
  if (is_nonsense("crash")) end_process("vkEnumeratePhysicalDevices crashes");
  if (devices == nullptr || !is_nonsense("no_devices")) return next.EnumeratePhysicalDevices(instance, count, devices);
  *count = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL get_families(VkPhysicalDevice device, std::uint32_t* count,
                                        VkQueueFamilyProperties* families) {
  next.GetPhysicalDeviceQueueFamilyProperties(device, count, families);
  if (families != nullptr && is_nonsense("growing_counts")) *count += growth;
}

VKAPI_ATTR VkResult VKAPI_CALL get_clocks(VkPhysicalDevice device, std::uint32_t* count, VkTimeDomainEXT* clocks) {
  const VkResult answer = next.GetPhysicalDeviceCalibrateableTimeDomainsEXT(device, count, clocks);
  if (clocks == nullptr) return answer;
  for (std::uint32_t i = 0; i < *count && is_nonsense("enumerators"); ++i)
    clocks[i] = static_cast<VkTimeDomainEXT>(unheard_of);
  if (is_nonsense("growing_counts")) *count += growth;
  return answer;
}

/// Letters up to the end of the array, behind what stands there.
template <std::size_t Size>
void fill(char (&letters)[Size], char letter) {
  const std::size_t begin = ::strnlen(letters, Size);
  std::memset(letters + begin, letter, Size - begin);
}

void break_properties(VkPhysicalDeviceProperties& properties) {
  if (is_nonsense("long_name")) fill(properties.deviceName, 'x');
  if (is_nonsense("enumerators")) properties.deviceType = static_cast<VkPhysicalDeviceType>(unheard_of);
  if (is_nonsense("ticks")) properties.limits.timestampPeriod = std::nanf("");
}

VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  next.GetPhysicalDeviceProperties(device, properties);
  break_properties(*properties);
}

VKAPI_ATTR void VKAPI_CALL get_properties_2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  next.GetPhysicalDeviceProperties2(device, properties);
  break_properties(properties->properties);
  auto* const driver = find_in<VkPhysicalDeviceVulkan12Properties>(
      properties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
  if (driver == nullptr) return;
  if (is_nonsense("enumerators")) driver->driverID = static_cast<VkDriverId>(unheard_of);
  if (!is_nonsense("long_name")) return;
  fill(driver->driverName, 'y');
  fill(driver->driverInfo, 'z');
}

VKAPI_ATTR void VKAPI_CALL get_memory_2(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2* memory) {
  next.GetPhysicalDeviceMemoryProperties2(device, memory);
  if (!is_nonsense("enumerators")) return;
  for (VkMemoryType& type : memory->memoryProperties.memoryTypes) type.propertyFlags |= unheard_of_bit;
}

VKAPI_ATTR void VKAPI_CALL get_format(VkPhysicalDevice device, VkFormat format, VkFormatProperties* properties) {
  next.GetPhysicalDeviceFormatProperties(device, format, properties);
  if (!is_nonsense("enumerators")) return;
  properties->optimalTilingFeatures |= unheard_of_bit;
  properties->bufferFeatures |= unheard_of_bit;
}

}  // namespace

void install_nonsense(Functions& table) {
  next = table;
  table.EnumeratePhysicalDevices = &get_devices;
  table.GetPhysicalDeviceQueueFamilyProperties = &get_families;
  if (next.GetPhysicalDeviceCalibrateableTimeDomainsEXT != nullptr)
    table.GetPhysicalDeviceCalibrateableTimeDomainsEXT = &get_clocks;
  table.GetPhysicalDeviceProperties = &get_properties;
  table.GetPhysicalDeviceProperties2 = &get_properties_2;
  table.GetPhysicalDeviceMemoryProperties2 = &get_memory_2;
  table.GetPhysicalDeviceFormatProperties = &get_format;
}

}  // namespace pintle::hostile
