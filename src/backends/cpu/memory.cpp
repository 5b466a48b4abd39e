#include "backends/cpu/memory.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "backends/cpu/device.h"
#include "base/contain.h"
#include "kit/host_cpus.h"
#include "kit/memory_source.h"
#include "pintle/native/cpu.h"

namespace pintle::cpu {
namespace {

constexpr std::uint64_t cache_line = 64;
/// From here on the system's promise is looked at before it is taken: it promises more than it has.
constexpr std::uint64_t large = 64 << 20;

void free_bytes(const Block& block) noexcept {
  if (block.owner == Block::Owner::device) std::free(block.data);
}

}  // namespace

MemoryTable::~MemoryTable() {
  for (Block* const block : blocks_) {
    free_bytes(*block);
    delete block;
  }
}

Result<backend::MemoryId> MemoryTable::allocate(const backend::MemoryRequest& request) {
  return base::contain("allocating", [&]() -> Result<backend::MemoryId> {
    if (request.size >= large) {
      const kit::HostMemory memory = kit::host_memory("/");
      if (memory.available && request.size > *memory.available)
        return kit::exhausted(request, "the system memory", memory.available);
    }
    const std::uint64_t alignment = std::max(request.alignment, cache_line);
    // aligned_alloc takes multiples of the alignment only. Core's sizes are far below where this would overflow.
    const std::uint64_t size = (request.size + alignment - 1) / alignment * alignment;
    auto* const data = static_cast<std::byte*>(std::aligned_alloc(alignment, size));
    if (data == nullptr) return kit::exhausted(request, "the system memory", kit::host_memory("/").available);
    return keep({data, request.size, Block::Owner::device});
  });
}

Result<backend::MemoryId> MemoryTable::adopt(std::span<std::byte> bytes) {
  return base::contain("importing", [&] { return keep({bytes.data(), bytes.size(), Block::Owner::user}); });
}

Result<backend::MemoryId> MemoryTable::keep(const Block& block) {
  try {
    auto owned = std::make_unique<Block>(block);
    const std::lock_guard lock(mutex_);
    blocks_.insert(owned.get());
    if (block.owner == Block::Owner::device) used_ += block.size;
    return backend::MemoryId{reinterpret_cast<std::uintptr_t>(owned.release())};
  } catch (const std::bad_alloc&) {
    free_bytes(block);
    throw;
  }
}

void MemoryTable::release(backend::MemoryId memory) noexcept {
  Block* const block = &block_of(memory);
  {
    const std::lock_guard lock(mutex_);
    blocks_.erase(block);
    if (block->owner == Block::Owner::device) used_ -= block->size;
  }
  free_bytes(*block);
  delete block;
}

Heap MemoryTable::heap() const {
  const kit::HostMemory memory = kit::host_memory("/");
  const std::lock_guard lock(mutex_);
  return {"system memory", memory.total, memory.available, used_, "/proc/meminfo"};
}

Result<std::vector<Heap>> Device::budget() {
  return base::contain("asking for the memory budget",
                       [&]() -> Result<std::vector<Heap>> { return std::vector{memory_.heap()}; });
}

Result<backend::MemoryId> Device::allocate(const backend::MemoryRequest& request) { return memory_.allocate(request); }

void Device::release(backend::MemoryId memory) noexcept { memory_.release(memory); }

Result<std::span<std::byte>> Device::map(backend::MemoryId memory) {
  const Block& block = block_of(memory);
  return std::span(block.data, block.size);
}

Result<backend::MemoryId> Device::import_memory(const backend::MemorySource& source) {
  if (const auto* const bytes = std::get_if<std::span<std::byte>>(&source)) return memory_.adopt(*bytes);
  const auto* const native = std::get_if<backend::NativeMemory>(&source);
  if (native == nullptr || native->object.type != CpuMemory::native_type)
    return base::contain("refusing memory",
                         [&]() -> Result<backend::MemoryId> { return kit::refused_source(source, info_.id); });
  void* const address = static_cast<const CpuMemory*>(native->object.value)->address;
  if (address == nullptr) return Error(Errc::invalid_argument, "Member (address) of the CpuMemory is null.");
  return memory_.adopt({static_cast<std::byte*>(address), static_cast<std::size_t>(native->size)});
}

}  // namespace pintle::cpu
