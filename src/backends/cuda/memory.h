// Memory: pieces of blocks that the driver is asked for rarely, since it gives memory back only when no kernel runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backends/cuda/context.h"
#include "kit/owned_table.h"
#include "kit/suballocator.h"
#include "pintle/backend/driver.h"

namespace pintle::cuda {

/// The driver's memory, and what is taken of it.
struct Block {
  DevicePointer address = 0;
  std::byte* host = nullptr;  ///< Null where the host cannot see it.
  kit::Suballocator places;
};

struct Piece {
  Block* block = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  [[nodiscard]] DevicePointer address() const noexcept { return block->address + offset; }
  [[nodiscard]] std::byte* host() const noexcept { return block->host == nullptr ? nullptr : block->host + offset; }
};

/// Blocks of one kind of memory. Thread-safe. A block stays until the device closes or needs its memory for another:
/// cuMemFree waits for every kernel that runs, and nobody who gives a piece back is to wait for somebody's kernel.
class Arena {
 public:
  enum class Kind : std::uint8_t {
    device,
    pinned,  ///< The host's, which kernels and copies reach.
  };
  Arena(Context& context, Kind kind) noexcept : context_(context), kind_(kind) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  [[nodiscard]] Result<Piece> take(const backend::MemoryRequest& request);
  /// Without the driver: none where no block has room.
  [[nodiscard]] std::optional<Piece> try_take(std::uint64_t size);
  void give_back(const Piece& piece) noexcept;
  /// Bytes of the blocks, and of them what is taken.
  struct Sum {
    std::uint64_t held = 0;
    std::uint64_t used = 0;
  };
  [[nodiscard]] Sum sum() const;

 private:
  [[nodiscard]] std::optional<Piece> find(std::uint64_t size, std::uint64_t alignment);
  [[nodiscard]] Result<std::unique_ptr<Block>> create(std::uint64_t size);
  [[nodiscard]] Result<std::unique_ptr<Block>> create_for(const backend::MemoryRequest& request);
  [[nodiscard]] bool free_empty();
  void free(const Block& block) noexcept;
  [[nodiscard]] std::optional<std::uint64_t> available() const;

  Context& context_;
  const Kind kind_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

/// A MemoryId is the address of its memory.
struct Memory : Piece {
  std::unique_ptr<Block> imported{};  ///< Around memory of the caller's; null for a piece of an arena.
  bool is_registered = false;         ///< The host's, of which the driver was told.
};
using Memories = kit::OwnedTable<backend::MemoryId, Memory>;

/// The device's address of a range.
[[nodiscard]] inline DevicePointer address_of(const backend::Range& range) noexcept {
  return Memories::at(range.memory).address() + range.offset;
}

/// All memory of a device. Thread-safe.
class MemoryTable {
 public:
  explicit MemoryTable(Context& context) noexcept
      : context_(context), device_(context, Arena::Kind::device), pinned_(context, Arena::Kind::pinned) {}

  ~MemoryTable();

  Result<backend::MemoryId> allocate(const backend::MemoryRequest& request);
  /// Memory of the caller's, which has bytes in common with nothing that is not imported.
  Result<backend::MemoryId> import(Block block);
  /// The host's memory, in place. `unsupported` has the driver's words where the driver refuses.
  Result<backend::MemoryId> import(std::span<std::byte> bytes);
  /// Where it `waits_for_kernels`, the device's own thread calls it.
  void release(backend::MemoryId memory) noexcept;
  [[nodiscard]] static bool waits_for_kernels(backend::MemoryId memory) noexcept {
    return Memories::at(memory).is_registered;
  }
  /// Null where no live memory has the id.
  [[nodiscard]] const Piece* find(backend::MemoryId memory) noexcept { return all_.find(memory); }
  [[nodiscard]] Result<std::vector<Heap>> heaps();
  /// Where copies from and to the host's memory are staged.
  [[nodiscard]] Arena& pinned() noexcept { return pinned_; }

 private:
  void unregister(const Memory& memory) noexcept;

  Context& context_;
  Arena device_, pinned_;
  std::atomic<std::uint64_t> host_used_{0};  // of `pinned_`, without what is staged
  Memories all_;
};

}  // namespace pintle::cuda
