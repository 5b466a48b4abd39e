// The word "hostile" before the name of each device, so that the id "vulkan:hostile" names one.
#include <algorithm>
#include <cstring>

#include "habit.h"

namespace pintle::hostile {
namespace {

Functions next;

void rename(VkPhysicalDeviceProperties& properties) {
  const std::string name = "hostile " + std::string(properties.deviceName);
  const std::size_t size = std::min(name.size(), sizeof properties.deviceName - 1);
  std::memcpy(properties.deviceName, name.data(), size);
  properties.deviceName[size] = '\0';
}

VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  next.GetPhysicalDeviceProperties(device, properties);
  rename(*properties);
}

VKAPI_ATTR void VKAPI_CALL get_properties_2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  next.GetPhysicalDeviceProperties2(device, properties);
  rename(properties->properties);
}

}  // namespace

void install_device_name(Functions& table) {
  next = table;
  table.GetPhysicalDeviceProperties = &get_properties;
  table.GetPhysicalDeviceProperties2 = &get_properties_2;
}

}  // namespace pintle::hostile
