// A driver's habit: memory of the host is not imported where it is only read, or a file's. The refusal comes at the
// allocation, or when the driver is asked for the memory types.
#include <fstream>
#include <sstream>

#include "habit.h"

namespace pintle::hostile {
namespace {

Functions next;

/// One line of /proc/self/maps.
struct Mapping {
  std::uintptr_t begin = 0, end = 0;
  bool is_written = false;
  bool is_file = false;
};

Mapping mapping_of(const std::string& line) {
  Mapping mapping;
  std::string rights, offset, device;
  unsigned long node = 0;
  char dash = 0;
  std::istringstream words(line);
  words >> std::hex >> mapping.begin >> dash >> mapping.end >> rights >> offset >> device >> std::dec >> node;
  mapping.is_written = rights.size() > 1 && rights[1] == 'w';
  mapping.is_file = node != 0;
  return mapping;
}

bool is_refused(const void* pointer, std::uint64_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t end = begin + static_cast<std::uintptr_t>(size);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const Mapping mapping = mapping_of(line);
    if (mapping.begin < end && begin < mapping.end && (!mapping.is_written || mapping.is_file)) return true;
  }
  return false;
}

VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                        const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  const auto* const host =
      find_in<VkImportMemoryHostPointerInfoEXT>(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
  if (host != nullptr && is_refused(host->pHostPointer, info->allocationSize))
    return next_number() % 2 == 0 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_INVALID_EXTERNAL_HANDLE;
  return next.AllocateMemory(device, info, callbacks, memory);
}

VKAPI_ATTR VkResult VKAPI_CALL get_host_properties(VkDevice device, VkExternalMemoryHandleTypeFlagBits kind,
                                                   const void* pointer, VkMemoryHostPointerPropertiesEXT* properties) {
  if (is_refused(pointer, 1) && next_number() % 2 == 0) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  return next.GetMemoryHostPointerPropertiesEXT(device, kind, pointer, properties);
}

}  // namespace

void install_refused_imports(Functions& table) {
  next = table;
  table.AllocateMemory = &allocate;
  table.GetMemoryHostPointerPropertiesEXT = &get_host_properties;
}

}  // namespace pintle::hostile
