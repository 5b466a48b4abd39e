// A libvulkan.so.1 that is the empty driver, so that what is counted above it is Pintle's own work.
#include "empty_vulkan.h"

extern "C" [[gnu::visibility("default")]] VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char* name) {
  return pintle::test::empty_vulkan::find_of_instance(instance, name);
}
