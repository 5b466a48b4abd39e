#include "backends/cpu/memory.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/contain.h"
#include "kit/host_cpus.h"
#include "kit/memory_source.h"

namespace pintle::cpu {
namespace {

constexpr std::uint64_t cache_line = 64;
/// From so many bytes on, the allocation first asks how much memory there is: the system promises more than it has.
constexpr std::uint64_t large = 64 << 20;

void free_bytes(const Block& block) noexcept {
  if (block.owner == Block::Owner::device) std::free(block.data);
}

pintle_cpu_image image_of(const backend::ImageRequest& request, std::byte* data) noexcept {
  const auto& [width, height, depth] = request.extent;
  const std::uint64_t row = std::uint64_t{width} * bytes_of(request.texel);
  return {data, width, height, depth, static_cast<std::uint32_t>(request.texel), row, row * height};
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
    Block block{data, request.size, Block::Owner::device};
    if (request.image != nullptr) block.image = image_of(*request.image, data);
    return keep(block);
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

}  // namespace pintle::cpu
