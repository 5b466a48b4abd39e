// Buffers of core: ranges of blocks. Images of core.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "backends/vulkan/block.h"
#include "backends/vulkan/images.h"
#include "backends/vulkan/texel_views.h"
#include "kit/owned_table.h"
#include "kit/suballocator.h"

namespace pintle::vulkan {

/// A block from which several buffers are cut.
struct SharedBlock {
  std::unique_ptr<Block> block;
  std::uint64_t origin = 0;  ///< Where places begin, so that their addresses on the host are aligned too.
  kit::Suballocator places;
};

/// One buffer or image; a MemoryId is its address.
struct Allocation {
  Block* block = nullptr;         ///< Null for an image.
  std::uint64_t offset = 0;       ///< In the block.
  std::uint64_t size = 0;         ///< As it was asked for; the block has at least the next multiple of 16.
  SharedBlock* shared = nullptr;  ///< The block that it is cut from, or null.
  std::unique_ptr<Block> own;     ///< The block that it has for itself, or null.
  std::unique_ptr<Image> image;   ///< Null for a buffer.
  TexelViews views;

  [[nodiscard]] std::uint32_t heap() const noexcept { return image != nullptr ? image->heap() : block->heap(); }
  /// Bytes of memory that are its alone.
  [[nodiscard]] std::uint64_t taken() const noexcept {
    return image != nullptr ? image->size() : own != nullptr ? own->size() : 0;
  }
  /// Whether the memory is the caller's, and so counts against no heap here.
  [[nodiscard]] bool is_wrapped() const noexcept { return image == nullptr && block->is_wrapped(); }
};

using Allocations = kit::OwnedTable<backend::MemoryId, Allocation>;

/// Thread-safe.
class MemoryTable {
 public:
  explicit MemoryTable(Context& context) : context_(context) {}

  [[nodiscard]] Result<backend::MemoryId> allocate(const backend::MemoryRequest& request);
  void release(backend::MemoryId memory) noexcept;
  [[nodiscard]] Result<std::span<std::byte>> map(backend::MemoryId memory);
  [[nodiscard]] Result<backend::Exported> export_memory(backend::MemoryId memory);
  [[nodiscard]] Result<backend::MemoryId> import(const backend::MemorySource& source);
  [[nodiscard]] std::vector<Heap> heaps();
  /// Empty where `memory` is no id of a memory.
  [[nodiscard]] std::optional<VulkanMemory> native(backend::MemoryId memory);

 private:
  using Pool = std::vector<std::unique_ptr<SharedBlock>>;

  [[nodiscard]] Result<std::unique_ptr<Allocation>> cut(const backend::MemoryRequest& request, std::uint64_t size);
  [[nodiscard]] Result<std::unique_ptr<Allocation>> dedicate(const backend::MemoryRequest& request, std::uint64_t size);
  [[nodiscard]] Result<std::unique_ptr<Allocation>> create_image(const backend::MemoryRequest& request);
  [[nodiscard]] std::uint32_t types_with_room(std::uint64_t size);
  [[nodiscard]] Result<SharedBlock*> add_block(Placement placement);
  [[nodiscard]] Result<std::unique_ptr<Block>> create_block(Placement placement, std::uint64_t size);
  struct Imported {
    std::unique_ptr<Block> block;
    std::uint64_t offset = 0;
  };
  [[nodiscard]] Result<Imported> import_from(std::span<std::byte> bytes);
  [[nodiscard]] Result<Imported> import_from(const backend::Exported& exported);
  [[nodiscard]] Result<Imported> import_from(const backend::NativeMemory& native);
  [[nodiscard]] Result<backend::MemoryId> keep(std::unique_ptr<Allocation> allocation);
  [[nodiscard]] std::vector<std::uint64_t> available();
  [[nodiscard]] std::vector<Heap> heaps_now();
  [[nodiscard]] Error exhausted(const backend::MemoryRequest& request, const Error& refusal);
  [[nodiscard]] Pool& pool_of(Placement placement) noexcept { return pools_[placement == Placement::device ? 0 : 1]; }
  [[nodiscard]] std::uint64_t alignment_of(std::uint64_t asked) const noexcept;
  void drop_empty(Pool& pool) noexcept;

  Context& context_;
  std::mutex mutex_;
  std::array<Pool, 2> pools_;
  Allocations allocations_;
  std::array<std::uint64_t, VK_MAX_MEMORY_HEAPS> used_{};   // what core asked for
  std::array<std::uint64_t, VK_MAX_MEMORY_HEAPS> taken_{};  // in blocks
};

}  // namespace pintle::vulkan
