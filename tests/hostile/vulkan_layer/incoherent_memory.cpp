// What the standard allows (Vulkan 1.3, "Host Access to Device Memory Objects"): memory that the host sees, and that is
// not coherent. Its mapping is a shadow of its own, which flushes and invalidations alone connect with the memory.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "habit.h"

namespace pintle::hostile {
namespace {

struct Free {
  void operator()(std::byte* bytes) const noexcept { std::free(bytes); }
};

struct Allocation {
  std::uint32_t type = 0;
  VkDeviceSize size = 0;
  std::byte* real = nullptr;  // while it is mapped
  std::unique_ptr<std::byte, Free> shadow{};
};

constexpr VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkDeviceSize atom = 64;
constexpr int noise = 0xcd;  // what a mapping has before it is invalidated

Functions next;
std::mutex mutex;
std::uint32_t incoherent = 0;  // a bit for each type
auto& allocations = *new std::map<VkDeviceMemory, Allocation>;

/// One coherent type stays, as the standard has it.
void take_coherence(VkPhysicalDeviceMemoryProperties& memory) {
  bool stays = true;
  const std::lock_guard lock(mutex);
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    VkMemoryPropertyFlags& flags = memory.memoryTypes[type].propertyFlags;
    if ((flags & coherent) != coherent || std::exchange(stays, false)) continue;
    flags &= ~VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_HOST_COHERENT_BIT};
    incoherent |= 1U << type;
  }
}

VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* memory) {
  next.GetPhysicalDeviceMemoryProperties(device, memory);
  take_coherence(*memory);
}

VKAPI_ATTR void VKAPI_CALL get_memory_2(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2* memory) {
  next.GetPhysicalDeviceMemoryProperties2(device, memory);
  take_coherence(memory->memoryProperties);
}

VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  next.GetPhysicalDeviceProperties(device, properties);
  properties->limits.nonCoherentAtomSize = atom;
}

VKAPI_ATTR void VKAPI_CALL get_properties_2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  next.GetPhysicalDeviceProperties2(device, properties);
  properties->properties.limits.nonCoherentAtomSize = atom;
}

VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                        const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  const VkResult answer = next.AllocateMemory(device, info, callbacks, memory);
  const std::lock_guard lock(mutex);
  if (answer == VK_SUCCESS) allocations[*memory] = {info->memoryTypeIndex, info->allocationSize};
  return answer;
}

/// The shadow has the address that the memory would have, as far as alignments tell.
VKAPI_ATTR VkResult VKAPI_CALL map(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                                   VkMemoryMapFlags flags, void** data) {
  {
    const std::lock_guard lock(mutex);
    if ((incoherent >> allocations[memory].type & 1) == 0)
      return next.MapMemory(device, memory, offset, size, flags, data);
  }
  void* real = nullptr;
  const VkResult answer = next.MapMemory(device, memory, 0, VK_WHOLE_SIZE, flags, &real);
  if (answer != VK_SUCCESS) return answer;
  const std::lock_guard lock(mutex);
  Allocation& mapped = allocations[memory];
  mapped.real = static_cast<std::byte*>(real);
  const std::size_t bytes = (mapped.size + atom - 1) / atom * atom;
  mapped.shadow.reset(static_cast<std::byte*>(std::aligned_alloc(atom, bytes)));
  if (mapped.shadow == nullptr) return VK_ERROR_OUT_OF_HOST_MEMORY;
  std::memset(mapped.shadow.get(), noise, bytes);
  *data = mapped.shadow.get() + offset;
  return answer;
}

/// What has not been flushed is lost.
VKAPI_ATTR void VKAPI_CALL unmap(VkDevice device, VkDeviceMemory memory) {
  {
    const std::lock_guard lock(mutex);
    allocations[memory].shadow.reset();
  }
  next.UnmapMemory(device, memory);
}

VKAPI_ATTR void VKAPI_CALL free(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
  {
    const std::lock_guard lock(mutex);
    allocations.erase(memory);
  }
  next.FreeMemory(device, memory, callbacks);
}

/// Calls `copy(allocation, offset, size)` for each range of a mapped shadow.
template <class Copy>
void for_each(std::uint32_t count, const VkMappedMemoryRange* ranges, const char* call, Copy copy) {
  const std::lock_guard lock(mutex);
  for (const VkMappedMemoryRange& range : std::span(ranges, count)) {
    const Allocation& mapped = allocations[range.memory];
    if (mapped.shadow == nullptr) continue;
    const VkDeviceSize left = mapped.size - std::min(range.offset, mapped.size);
    const VkDeviceSize size = range.size == VK_WHOLE_SIZE ? left : range.size;
    if (range.offset % atom != 0 || size > left || (size % atom != 0 && size != left))
      end_process(std::string(call) + " gets a range that is no multiple of nonCoherentAtomSize");
    copy(mapped, range.offset, size);
  }
}

VKAPI_ATTR VkResult VKAPI_CALL flush(VkDevice device, std::uint32_t count, const VkMappedMemoryRange* ranges) {
  for_each(count, ranges, "vkFlushMappedMemoryRanges",
           [](const Allocation& mapped, VkDeviceSize at, VkDeviceSize size) {
             std::memcpy(mapped.real + at, mapped.shadow.get() + at, size);
           });
  return next.FlushMappedMemoryRanges(device, count, ranges);
}

VKAPI_ATTR VkResult VKAPI_CALL invalidate(VkDevice device, std::uint32_t count, const VkMappedMemoryRange* ranges) {
  const VkResult answer = next.InvalidateMappedMemoryRanges(device, count, ranges);
  for_each(count, ranges, "vkInvalidateMappedMemoryRanges",
           [](const Allocation& mapped, VkDeviceSize at, VkDeviceSize size) {
             std::memcpy(mapped.shadow.get() + at, mapped.real + at, size);
           });
  return answer;
}

}  // namespace

void install_incoherent_memory(Functions& table) {
  next = table;
  table.GetPhysicalDeviceMemoryProperties = &get_memory;
  table.GetPhysicalDeviceMemoryProperties2 = &get_memory_2;
  table.GetPhysicalDeviceProperties = &get_properties;
  table.GetPhysicalDeviceProperties2 = &get_properties_2;
  table.AllocateMemory = &allocate;
  table.FreeMemory = &free;
  table.MapMemory = &map;
  table.UnmapMemory = &unmap;
  table.FlushMappedMemoryRanges = &flush;
  table.InvalidateMappedMemoryRanges = &invalidate;
}

}  // namespace pintle::hostile
