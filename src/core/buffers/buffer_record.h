// What stands behind a Buffer, and behind an Image: where the memory is, who uses it, and the second name of imported
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/buffers/stamps.h"
#include "core/door/describe.h"
#include "kit/pool_heap.h"
#include "pintle/backend/command.h"
#include "pintle/buffer.h"
#include "pintle/dtype.h"
#include "pintle/info.h"
#include "pintle/signal.h"

namespace pintle::core {

class BufferTable;
class Loan;
class Locked;
class PoolState;
class Worklist;

using PoolHeap = kit::PoolHeap<Stamps>;

/// Where a buffer's memory goes when nobody uses it any more.
struct Origin {
  PoolState* pool = nullptr;  ///< The pool that `chunk` belongs to. Null: the memory is the buffer's own.
  PoolHeap::Chunk* chunk = nullptr;
  std::shared_ptr<const void> keeper{};  ///< Keeps somebody else's memory; let go after the last use.

  /// Gives the chunk back to its pool, which stands on these records; `stamps` are those of the last uses.
  void give_back(Stamps&& stamps, Worklist& worklist, const Locked& locked) const noexcept;
};

/// What a user's Buffer is built from, in the place where the Buffer is to be.
struct NewBuffer {
  BufferTable* table;
  std::uint64_t id;
  std::uint64_t size;
  DType dtype;
  const Shape& shape;

  operator Buffer() const noexcept;  // NOLINT(google-explicit-constructor): where it is returned
};

/// The record of a buffer, kept until the buffer's memory has been given back. The record of a destroyed buffer stays,
/// *retired*, as long as work in flight or a loan uses it.
struct BufferRecord {
  BufferRecord() noexcept {}  // NOLINT(modernize-use-equals-default): a defaulted one is cleared first, byte by byte

  backend::MemoryId memory = backend::MemoryId::none;  ///< None as long as nobody has used a lazy buffer.
  std::uint64_t base = 0;                              ///< Where the buffer begins in the memory.
  std::uint64_t size = 0;
  std::uint32_t alignment = 1;
  Placement placement = Placement::device;
  bool is_image = false;  ///< It stands behind an Image.
  bool is_sealed = false;
  bool is_retired = false;  ///< No id finds it any more.
  std::uint32_t maps = 0;   ///< The user's maps that are not undone. The backend counts all maps of the memory.
  std::string label{};
  Stamps stamps{};
  std::optional<Point> formed{};  ///< The end of the copy that makes the bytes: each use waits for it.
  std::weak_ptr<Loan> loan{};
  std::weak_ptr<void> use_of_loan{};  ///< Outlives the loan until the memory has been unmapped.
  Origin origin{};
  std::shared_ptr<const void> kept{};  ///< What the user keeps alive until the buffer goes.
  std::uint64_t next_retired = 0;      ///< The id of the next record in the chain.

  /// Its name in messages, where its id is `id`.
  [[nodiscard]] std::string text(std::uint64_t id) const {
    return object_text(is_image ? "Image" : "Buffer", static_cast<std::uint32_t>(id), label);
  }
  [[nodiscard]] bool is_lazy() const noexcept { return memory == backend::MemoryId::none; }
  [[nodiscard]] bool is_lent() const noexcept { return !use_of_loan.expired(); }
};

/// Imported memory: its bytes have a second name, an address of the host or an object of the vendor's API. Native
/// memory may be any bytes that are not Pintle's.
struct Alias {
  backend::MemoryId memory = backend::MemoryId::none;
  std::span<std::byte> host;  ///< Empty for native memory.
  std::uint64_t buffer = 0;   ///< The record that holds the import.
  bool is_constant = false;   ///< Nothing may write it.

  [[nodiscard]] bool overlaps(std::span<const std::byte> bytes) const noexcept {
    return bytes.data() < host.data() + host.size() && host.data() < bytes.data() + bytes.size();
  }
};

}  // namespace pintle::core
