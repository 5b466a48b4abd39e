#include "backends/vulkan/memory.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "backends/vulkan/memory_types.h"
#include "kit/memory_source.h"

namespace pintle::vulkan {
namespace {

using backend::MemoryId;
using backend::MemoryRequest;
using Source = BlockRequest::Source;

constexpr std::uint64_t shared_size = 16 << 20;
constexpr std::uint64_t largest_cut = 4 << 20;  // a larger buffer gets a block of its own
constexpr std::uint64_t granularity = 16;       // kernels see whole words, and copies run best on them
constexpr std::uint64_t word = 4;               // descriptors have a whole number of words
constexpr std::uint64_t host_alignment = 4096;  // the largest that core asks for

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) noexcept {
  return (value + alignment - 1) / alignment * alignment;
}

/// Bytes to skip so that the host's address is aligned. Drivers align what they map to 64 bytes only.
std::uint64_t misalignment(const Block& block, std::uint64_t alignment) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(block.mapped());
  return (alignment - address % alignment) % alignment;
}

}  // namespace

std::uint64_t MemoryTable::alignment_of(std::uint64_t asked) const noexcept {
  const VkPhysicalDeviceLimits& limits = context_.physical().properties.limits;
  return std::max({asked, granularity, limits.minStorageBufferOffsetAlignment, limits.minUniformBufferOffsetAlignment,
                   limits.minTexelBufferOffsetAlignment});
}

Result<MemoryId> MemoryTable::allocate(const MemoryRequest& request) {
  const std::uint64_t size = round_up(request.size, granularity);
  const std::lock_guard lock(mutex_);
  auto allocation = request.image != nullptr ? create_image(request)
                    : size > largest_cut     ? dedicate(request, size)
                                             : cut(request, size);
  if (!allocation) {
    if (allocation.error().code() != Errc::out_of_memory) return allocation.error();
    return exhausted(request, allocation.error());
  }
  (*allocation)->size = request.size;
  return keep(*std::move(allocation));
}

Result<std::unique_ptr<Allocation>> MemoryTable::cut(const MemoryRequest& request, std::uint64_t size) {
  const std::uint64_t alignment = alignment_of(request.alignment);
  auto allocation = std::make_unique<Allocation>();
  const auto take = [&](SharedBlock& shared) {
    const auto place = shared.places.allocate(size, alignment);
    if (!place) return false;
    allocation->block = shared.block.get();
    allocation->shared = &shared;
    allocation->offset = shared.origin + *place;
    return true;
  };
  for (const auto& shared : pool_of(request.placement)) {
    if (take(*shared)) return allocation;
  }
  const auto added = add_block(request.placement);
  if (!added && added.error().code() == Errc::out_of_memory) return dedicate(request, size);  // less may have room
  if (!added) return added.error();
  if (take(**added)) return allocation;
  return Error(Errc::internal, fmt::format("A new block of [{}] has no room for ({}) bytes.", context_.id(), size));
}

Result<std::unique_ptr<Allocation>> MemoryTable::dedicate(const MemoryRequest& request, std::uint64_t size) {
  PINTLE_ASSIGN(block, create_block(request.placement, size));
  std::uint64_t offset = misalignment(*block, request.alignment);
  if (offset != 0) {
    block = nullptr;
    PINTLE_ASSIGN(larger, create_block(request.placement, size + request.alignment));
    block = std::move(larger);
    offset = round_up(misalignment(*block, request.alignment), granularity);
  }
  auto allocation = std::make_unique<Allocation>();
  allocation->block = block.get();
  allocation->offset = offset;
  allocation->own = std::move(block);
  return allocation;
}

Result<std::unique_ptr<Allocation>> MemoryTable::create_image(const MemoryRequest& request) {
  PINTLE_ASSIGN(image, Image::create(context_, *request.image, types_with_room(request.size)));
  auto allocation = std::make_unique<Allocation>();
  allocation->image = std::move(image);
  return allocation;
}

Result<SharedBlock*> MemoryTable::add_block(Placement placement) {
  PINTLE_ASSIGN(block, create_block(placement, shared_size));
  const std::uint64_t origin = misalignment(*block, host_alignment);
  auto shared =
      std::make_unique<SharedBlock>(SharedBlock{std::move(block), origin, kit::Suballocator(shared_size - origin)});
  taken_[shared->block->heap()] += shared->block->size();
  pool_of(placement).push_back(std::move(shared));
  return pool_of(placement).back().get();
}

/// The types of heaps that have room, a bit for each: drivers promise more than there is.
std::uint32_t MemoryTable::types_with_room(std::uint64_t size) {
  const std::vector<std::uint64_t> room = available();
  const VkPhysicalDeviceMemoryProperties& memory = context_.physical().memory;
  std::uint32_t types = 0;
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    if (room[memory.memoryTypes[type].heapIndex] >= size) types |= 1u << type;
  }
  return types;
}

Result<std::unique_ptr<Block>> MemoryTable::create_block(Placement placement, std::uint64_t size) {
  const bool can_export = context_.physical().has("VK_KHR_external_memory_fd");
  return Block::create(context_, {.source = can_export ? Source::exportable : Source::fresh,
                                  .size = size,
                                  .placement = placement,
                                  .types = types_with_room(size)});
}

Result<MemoryId> MemoryTable::keep(std::unique_ptr<Allocation> allocation) {
  const MemoryId id = allocations_.add(std::move(allocation));
  const Allocation& kept = Allocations::at(id);
  if (!kept.is_wrapped()) {
    used_[kept.heap()] += kept.size;
    taken_[kept.heap()] += kept.taken();
  }
  return id;
}

void MemoryTable::release(MemoryId memory) noexcept {
  const std::lock_guard lock(mutex_);
  const std::unique_ptr<Allocation> gone = allocations_.remove(memory);
  gone->views.end();
  if (!gone->is_wrapped()) {
    used_[gone->heap()] -= gone->size;
    taken_[gone->heap()] -= gone->taken();
  }
  if (gone->shared != nullptr) {
    gone->shared->places.release(gone->offset - gone->shared->origin);
    for (Pool& pool : pools_) drop_empty(pool);
  }
}

/// One empty block stays for the next buffer.
void MemoryTable::drop_empty(Pool& pool) noexcept {
  bool keeps_one = false;
  std::erase_if(pool, [&](const std::unique_ptr<SharedBlock>& shared) {
    if (shared->places.used() != 0 || !std::exchange(keeps_one, true)) return false;
    taken_[shared->block->heap()] -= shared->block->size();
    return true;
  });
}

Result<std::span<std::byte>> MemoryTable::map(MemoryId memory) {
  const Allocation& allocation = Allocations::at(memory);
  if (allocation.block != nullptr && allocation.block->mapped() != nullptr)
    return std::span(allocation.block->mapped() + allocation.offset, allocation.size);
  return Error(Errc::unsupported,
               fmt::format("Memory of [{}] for the device cannot be mapped; allocate it for the host.", context_.id()));
}

Result<MemoryId> MemoryTable::import(const backend::MemorySource& source) {
  PINTLE_ASSIGN(imported, std::visit([&](const auto& from) { return import_from(from); }, source));
  auto allocation = std::make_unique<Allocation>();
  allocation->block = imported.block.get();
  allocation->offset = imported.offset;
  allocation->size = kit::size_of(source);
  allocation->own = std::move(imported.block);
  const std::lock_guard lock(mutex_);
  return keep(std::move(allocation));
}

Result<MemoryTable::Imported> MemoryTable::import_from(std::span<std::byte> bytes) {
  const std::uint64_t page = context_.physical().host_pointer_alignment;
  if (page == 0) return Error(Errc::unsupported, fmt::format("[{}] lacks VK_EXT_external_memory_host.", context_.id()));
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  if (address % page != 0 || bytes.size() % page != 0) {
    return Error(Errc::unsupported,
                 fmt::format("Host memory at ({:#x}) of ({}) bytes is no multiple of ({}), which [{}] "
                             "needs to use it in place.",
                             address, bytes.size(), page, context_.id()));
  }
  auto block = Block::create(
      context_, {.source = Source::host, .size = bytes.size(), .placement = Placement::device, .host = bytes.data()});
  if (block) return Imported{*std::move(block), 0};
  PINTLE_TRY(context_.alive());
  return kit::refused_pages(bytes, context_.id(), block.error());
}

Result<MemoryTable::Imported> MemoryTable::import_from(const backend::Exported& exported) {
  if (context_.vk.GetMemoryFdKHR == nullptr)
    return Error(Errc::unsupported, fmt::format("[{}] lacks VK_KHR_external_memory_fd.", context_.id()));
  const int fd = ::dup(exported.fd);  // a successful import takes it; the caller keeps its own
  auto block =
      Block::create(context_, {.source = Source::fd, .size = exported.whole, .types = 1u << exported.kind, .fd = fd});
  if (block) return Imported{*std::move(block), exported.offset};
  ::close(fd);
  return block.error();
}

Result<MemoryTable::Imported> MemoryTable::import_from(const backend::NativeMemory& native) {
  if (native.object.type != VulkanMemory::native_type) return kit::refused_source(native, context_.id());
  const auto& given = *static_cast<const VulkanMemory*>(native.object.value);
  const std::uint64_t needed = round_up(native.size, word), alignment = alignment_of(1);
  if (given.buffer == 0) return Error(Errc::invalid_argument, "The VkBuffer is null.");
  if (given.size < needed) {
    return Error(
        Errc::invalid_argument,
        fmt::format("Size ({}) of the VulkanMemory is smaller than what is wanted of it ({}).", given.size, needed));
  }
  if (given.offset % alignment != 0) {
    return Error(Errc::invalid_argument,
                 fmt::format("Offset ({}) of the VulkanMemory is no multiple of ({}).", given.offset, alignment));
  }
  return Imported{Block::wrap(context_, given), given.offset};
}

Result<backend::Exported> MemoryTable::export_memory(MemoryId memory) {
  if (context_.vk.GetMemoryFdKHR == nullptr)
    return Error(Errc::unsupported, fmt::format("[{}] lacks VK_KHR_external_memory_fd.", context_.id()));
  const Allocation& allocation = Allocations::at(memory);
  if (allocation.image != nullptr)
    return Error(Errc::unsupported, fmt::format("Images of [{}] are not exported.", context_.id()));
  VkMemoryGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  info.memory = allocation.block->memory();
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  backend::Exported exported{-1, allocation.offset, allocation.size, allocation.block->size(),
                             allocation.block->type()};
  PINTLE_TRY(context_.check(context_.vk.GetMemoryFdKHR(context_.device(), &info, &exported.fd), "vkGetMemoryFdKHR"));
  return exported;
}

/// Bytes of each heap that new blocks may take. The driver says so, or they follow from what was taken.
std::vector<std::uint64_t> MemoryTable::available() {
  const Physical& physical = context_.physical();
  std::vector<std::uint64_t> room(physical.memory.memoryHeapCount);
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget{};
  if (physical.has("VK_EXT_memory_budget")) {
    budget.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT;
    VkPhysicalDeviceMemoryProperties2 memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, &budget, {}};
    context_.instance().functions().GetPhysicalDeviceMemoryProperties2(physical.handle, &memory);
  }
  for (std::size_t heap = 0; heap < room.size(); ++heap) {
    const std::uint64_t total =
        budget.heapBudget[heap] != 0 ? budget.heapBudget[heap] : physical.memory.memoryHeaps[heap].size;
    const std::uint64_t taken = budget.heapBudget[heap] != 0 ? budget.heapUsage[heap] : taken_[heap];
    room[heap] = total - std::min(total, taken);
  }
  return room;
}

std::vector<Heap> MemoryTable::heaps() {
  const std::lock_guard lock(mutex_);
  return heaps_now();
}

std::vector<Heap> MemoryTable::heaps_now() {
  const std::vector<std::uint64_t> room = available();
  const VkPhysicalDeviceMemoryProperties& memory = context_.physical().memory;
  const char* const source =
      context_.physical().has("VK_EXT_memory_budget") ? "VK_EXT_memory_budget" : "VkMemoryHeap, less what is allocated";
  std::vector<Heap> heaps;
  for (std::uint32_t heap = 0; heap < memory.memoryHeapCount; ++heap) {
    const bool is_local = (memory.memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
    heaps.push_back({fmt::format("heap {} ({})", heap, is_local ? "device" : "host"), memory.memoryHeaps[heap].size,
                     room[heap], used_[heap], source});
  }
  return heaps;
}

std::optional<VulkanMemory> MemoryTable::native(MemoryId memory) {
  const Allocation* const found = allocations_.find(memory);
  if (found == nullptr || found->image != nullptr) return std::nullopt;
  const VkDeviceAddress address = found->block->address();
  return VulkanMemory{reinterpret_cast<std::uint64_t>(found->block->buffer()),
                      reinterpret_cast<std::uint64_t>(found->block->memory()), found->offset, found->size,
                      address == 0 ? 0 : address + found->offset};
}

Error MemoryTable::exhausted(const MemoryRequest& request, const Error& refusal) {
  const std::vector<Heap> all = heaps_now();
  const auto& memory = context_.physical().memory;
  std::vector<Heap> possible;
  for (const auto type : types_for(memory, request.placement, ~0U))
    possible.push_back(all[memory.memoryTypes[type].heapIndex]);
  return kit::exhausted(request, context_.id(), possible, refusal);
}

}  // namespace pintle::vulkan
