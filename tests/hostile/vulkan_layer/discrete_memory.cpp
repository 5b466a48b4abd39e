// A card's memory, made of the one kind that a software device has: the heaps and types of a discrete card, in the
// order of NVIDIA's driver, and the largest alignment of storage buffers that the standard allows.
#include <array>
#include <map>
#include <mutex>

#include "habit.h"
#include "questions.h"

namespace pintle::hostile {
namespace {

struct Allocation {
  std::uint32_t type = 0;
  VkDeviceSize size = 0;
};

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr std::uint32_t device_heap = 0, host_heap = 1, window_heap = 2;
constexpr std::uint32_t device_type = 1, cached_type = 3;
constexpr std::array types{VkMemoryType{0, host_heap}, VkMemoryType{local, device_heap},
                           VkMemoryType{coherent, host_heap},
                           VkMemoryType{coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, host_heap},
                           VkMemoryType{local | coherent, window_heap}};
constexpr std::uint32_t all_types = (1U << types.size()) - 1;
constexpr std::uint32_t host_types = 1U << 2 | 1U << cached_type;
constexpr VkDeviceSize window = 256 << 20;

Functions next;
std::mutex mutex;
std::uint32_t below = 0;  // the driver's type that all of ours are made of
std::array<VkDeviceSize, 3> sizes{}, used{};
auto& allocations = *new std::map<VkDeviceMemory, Allocation>;
auto& types_of_buffers = *new std::map<VkBuffer, std::uint32_t>;
std::uint64_t copies_through_cached = 0, other_copies_to_the_host = 0;

/// The driver's type that the host and the device see as it is.
std::uint32_t general_type(const VkPhysicalDeviceMemoryProperties& driver) {
  for (std::uint32_t type = 0; type < driver.memoryTypeCount; ++type) {
    if ((driver.memoryTypes[type].propertyFlags & (local | coherent)) == (local | coherent)) return type;
  }
  end_process("the driver below has no memory that the host and the device see");
}

void become_a_card(VkPhysicalDeviceMemoryProperties& memory) {
  const std::lock_guard lock(mutex);
  below = general_type(memory);
  const VkDeviceSize whole = memory.memoryHeaps[memory.memoryTypes[below].heapIndex].size;
  sizes = {whole / 2, whole / 2, window};
  memory = {};
  memory.memoryTypeCount = static_cast<std::uint32_t>(types.size());
  for (std::size_t type = 0; type < types.size(); ++type) memory.memoryTypes[type] = types[type];
  memory.memoryHeapCount = static_cast<std::uint32_t>(sizes.size());
  for (std::size_t heap = 0; heap < sizes.size(); ++heap)
    memory.memoryHeaps[heap] = {
        sizes[heap], heap == host_heap ? VkMemoryHeapFlags{0} : VkMemoryHeapFlags{VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}};
}

VKAPI_ATTR void VKAPI_CALL get_memory(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties* memory) {
  next.GetPhysicalDeviceMemoryProperties(device, memory);
  become_a_card(*memory);
}

VKAPI_ATTR void VKAPI_CALL get_memory_2(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2* memory) {
  next.GetPhysicalDeviceMemoryProperties2(device, memory);
  become_a_card(memory->memoryProperties);
  auto* const budget = find_in<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(
      memory->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT);
  if (budget == nullptr) return;
  const std::lock_guard lock(mutex);
  for (std::size_t heap = 0; heap < sizes.size(); ++heap) {
    budget->heapBudget[heap] = sizes[heap];
    budget->heapUsage[heap] = used[heap];
  }
}

void align(VkPhysicalDeviceProperties& properties) { properties.limits.minStorageBufferOffsetAlignment = 256; }

VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  next.GetPhysicalDeviceProperties(device, properties);
  align(*properties);
}

VKAPI_ATTR void VKAPI_CALL get_properties_2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  next.GetPhysicalDeviceProperties2(device, properties);
  align(properties->properties);
}

/// The driver's bits as ours.
void translate(std::uint32_t& bits, std::uint32_t ours = all_types) {
  const std::lock_guard lock(mutex);
  bits = (bits >> below & 1) != 0 ? ours : 0;
}

VKAPI_ATTR void VKAPI_CALL get_buffer_needs(VkDevice device, VkBuffer buffer, VkMemoryRequirements* needs) {
  next.GetBufferMemoryRequirements(device, buffer, needs);
  translate(needs->memoryTypeBits);
}

VKAPI_ATTR void VKAPI_CALL get_buffer_needs_2(VkDevice device, const VkBufferMemoryRequirementsInfo2* info,
                                              VkMemoryRequirements2* needs) {
  next.GetBufferMemoryRequirements2(device, info, needs);
  translate(needs->memoryRequirements.memoryTypeBits);
}

VKAPI_ATTR void VKAPI_CALL get_image_needs(VkDevice device, VkImage image, VkMemoryRequirements* needs) {
  next.GetImageMemoryRequirements(device, image, needs);
  translate(needs->memoryTypeBits);
}

VKAPI_ATTR void VKAPI_CALL get_image_needs_2(VkDevice device, const VkImageMemoryRequirementsInfo2* info,
                                             VkMemoryRequirements2* needs) {
  next.GetImageMemoryRequirements2(device, info, needs);
  translate(needs->memoryRequirements.memoryTypeBits);
}

VKAPI_ATTR VkResult VKAPI_CALL get_host_properties(VkDevice device, VkExternalMemoryHandleTypeFlagBits kind,
                                                   const void* pointer, VkMemoryHostPointerPropertiesEXT* properties) {
  const VkResult answer = next.GetMemoryHostPointerPropertiesEXT(device, kind, pointer, properties);
  if (answer == VK_SUCCESS) translate(properties->memoryTypeBits, host_types);
  return answer;
}

/// False where the heap has no room.
bool take(std::uint32_t type, VkDeviceSize size) {
  const std::lock_guard lock(mutex);
  VkDeviceSize& taken = used[types[type].heapIndex];
  if (size > sizes[types[type].heapIndex] - taken) return false;
  taken += size;
  return true;
}

void give_back(const Allocation& allocation) {
  const std::lock_guard lock(mutex);
  used[types[allocation.type].heapIndex] -= allocation.size;
}

VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                        const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  const Allocation asked{info->memoryTypeIndex, info->allocationSize};
  if (!take(asked.type, asked.size)) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  VkMemoryAllocateInfo own = *info;
  own.memoryTypeIndex = below;
  const VkResult answer = next.AllocateMemory(device, &own, callbacks, memory);
  if (answer != VK_SUCCESS) {
    give_back(asked);
    return answer;
  }
  const std::lock_guard lock(mutex);
  allocations[*memory] = asked;
  return answer;
}

VKAPI_ATTR void VKAPI_CALL free(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* callbacks) {
  Allocation gone;
  {
    const std::lock_guard lock(mutex);
    if (auto found = allocations.extract(memory); !found.empty()) gone = found.mapped();
  }
  give_back(gone);
  next.FreeMemory(device, memory, callbacks);
}

VKAPI_ATTR VkResult VKAPI_CALL map(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                                   VkMemoryMapFlags flags, void** data) {
  {
    const std::lock_guard lock(mutex);
    if ((types[allocations[memory].type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0)
      end_process("vkMapMemory maps memory that the host does not see");
  }
  return next.MapMemory(device, memory, offset, size, flags, data);
}

VKAPI_ATTR VkResult VKAPI_CALL bind(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  {
    const std::lock_guard lock(mutex);
    types_of_buffers[buffer] = allocations[memory].type;
  }
  return next.BindBufferMemory(device, buffer, memory, offset);
}

/// Counts what crosses between the device's memory and the host's.
void count(VkBuffer from, VkBuffer to) {
  const std::lock_guard lock(mutex);
  const std::uint32_t source = types_of_buffers[from], target = types_of_buffers[to];
  if (source != device_type && target != device_type) return;
  const std::uint32_t other = source == device_type ? target : source;
  if (other == cached_type) ++copies_through_cached;
  else if (other != device_type) ++other_copies_to_the_host;
}

VKAPI_ATTR void VKAPI_CALL copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, std::uint32_t regions,
                                const VkBufferCopy* region) {
  count(from, to);
  next.CmdCopyBuffer(commands, from, to, regions, region);
}

}  // namespace

void install_discrete_memory(Functions& table) {
  next = table;
  table.GetPhysicalDeviceMemoryProperties = &get_memory;
  table.GetPhysicalDeviceMemoryProperties2 = &get_memory_2;
  table.GetPhysicalDeviceProperties = &get_properties;
  table.GetPhysicalDeviceProperties2 = &get_properties_2;
  table.GetBufferMemoryRequirements = &get_buffer_needs;
  table.GetBufferMemoryRequirements2 = &get_buffer_needs_2;
  table.GetImageMemoryRequirements = &get_image_needs;
  table.GetImageMemoryRequirements2 = &get_image_needs_2;
  table.GetMemoryHostPointerPropertiesEXT = &get_host_properties;
  table.AllocateMemory = &allocate;
  table.FreeMemory = &free;
  table.MapMemory = &map;
  table.BindBufferMemory = &bind;
  table.CmdCopyBuffer = &copy;
}

}  // namespace pintle::hostile

void hostile_count_copies(std::uint64_t* through_cached, std::uint64_t* others) {
  const std::lock_guard lock(pintle::hostile::mutex);
  *through_cached = pintle::hostile::copies_through_cached;
  *others = pintle::hostile::other_copies_to_the_host;
}
