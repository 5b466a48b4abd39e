// Memory as core sees it: bytes of the host, and tensors of the plug-in, whichever is newer.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "backends/pjrt/client.h"
#include "kit/owned_table.h"
#include "pintle/backend/driver.h"

namespace pintle::pjrt {

/// Bytes that have gone from one side to the other.
struct Moved {
  std::atomic<std::uint64_t> to_device{0};
  std::atomic<std::uint64_t> to_host{0};
};

/// One of core's buffers; a MemoryId is its address. A range that is a tensor is *newer* there, or the same on both
/// sides. Bytes move when the other side is used. Tensors never overlap, and never change: a result replaces what it
/// covers. Thread-safe; a call waits for the plug-in where bytes come home.
class Block {
 public:
  /// Memory of the host that ends with its owner.
  struct Free {
    void operator()(std::byte* bytes) const noexcept { std::free(bytes); }
  };
  using Bytes = std::unique_ptr<std::byte[], Free>;

  Block(const Client& client, Moved& moved, std::uint64_t size, Bytes bytes) noexcept
      : client_(client), moved_(moved), size_(size), bytes_(std::move(bytes)) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// The bytes from `offset` on as a tensor of this type.
  [[nodiscard]] Result<SharedTensor> tensor(std::uint64_t offset, const TensorType& type);
  /// As `tensor`, for a program that may write its result over it: the block forgets it. A call of `put` follows.
  [[nodiscard]] Result<SharedTensor> take(std::uint64_t offset, const TensorType& type);
  /// The tensor that begins there; null where none does.
  [[nodiscard]] SharedTensor find(std::uint64_t offset);
  /// A result replaces the bytes that it covers.
  [[nodiscard]] Result<void> put(std::uint64_t offset, SharedTensor tensor);

  [[nodiscard]] Result<void> write(std::uint64_t offset, std::span<const std::byte> from);
  [[nodiscard]] Result<void> fill(const backend::Fill& fill);
  [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> to);
  /// Copies between blocks, or within one where the ranges do not overlap. Whole tensors are shared.
  [[nodiscard]] static Result<void> copy(Block& to, std::uint64_t to_offset, Block& from, std::uint64_t from_offset,
                                         std::uint64_t size);

 private:
  struct Piece {
    SharedTensor tensor;
    bool is_newer = false;  ///< Than the host's bytes.
    [[nodiscard]] std::uint64_t size() const noexcept { return tensor->size(); }
  };
  using Pieces = std::map<std::uint64_t, Piece>;

  [[nodiscard]] Pieces::iterator first_in(std::uint64_t offset);
  [[nodiscard]] Result<void> bring_home(std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] Result<void> bring_home(std::uint64_t offset, Piece& piece);
  [[nodiscard]] Result<void> clear(std::uint64_t offset, std::uint64_t size);
  [[nodiscard]] Result<SharedTensor> find_or_make(std::uint64_t offset, const TensorType& type);

  const Client& client_;
  Moved& moved_;
  const std::uint64_t size_;
  const Bytes bytes_;
  std::mutex mutex_;
  Pieces pieces_;            // by offset
  Pieces::node_type spare_;  // of what was taken: a step in place allocates nothing here
};

/// All blocks of a device.
class MemoryTable {
 public:
  explicit MemoryTable(const Client& client) noexcept : client_(client) {}

  [[nodiscard]] Result<backend::MemoryId> allocate(const backend::MemoryRequest& request);
  void release(backend::MemoryId memory) noexcept;
  [[nodiscard]] std::vector<Heap> heaps() const;
  [[nodiscard]] Moved& moved() noexcept { return moved_; }

 private:
  const Client& client_;
  Moved moved_;
  std::atomic<std::uint64_t> used_{0};
  kit::OwnedTable<backend::MemoryId, Block> blocks_;
};

[[nodiscard]] inline Block& block_of(const backend::Range& range) noexcept {
  return kit::OwnedTable<backend::MemoryId, Block>::at(range.memory);
}

}  // namespace pintle::pjrt
