// What stands behind a Buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/buffers/pool_heap.h"
#include "core/buffers/stamps.h"
#include "pintle/backend/command.h"
#include "pintle/dtype.h"
#include "pintle/info.h"

namespace pintle::core {

class BufferTable;
class Loan;

/// Where a buffer's memory goes when nobody uses it any more.
struct Origin {
  ChunkOwner* pool = nullptr;  ///< With its chunk; otherwise the memory is the buffer's own.
  PoolHeap::Chunk* chunk = nullptr;
  std::shared_ptr<const void> keeper{};  ///< Keeps memory that is somebody else's: let go after the last use.
  bool is_foreign = false;               ///< It is somebody else's.
};

/// A submission that others come after, though no point says so: their users cannot know of it.
struct Formation {
  std::uint64_t queue = 0;  ///< 0: none.
  std::uint64_t serial = 0;
};

/// Bytes that forks of one buffer have in common, until one of them is written. Goes with the last record that names
/// it, live or retired.
struct SharedBytes {
  std::uint64_t owners = 0;  ///< Records of live buffers.
  Origin origin;
  Formation formation;    ///< A backend has it; a submission that copies the bytes comes after.
  bool is_taken = false;  ///< The last owner has the memory to itself.
};

/// What a user's Buffer is made of, where it is to be.
struct NewBuffer {
  BufferTable* table;
  std::uint64_t id;
  std::uint64_t size;
  DType dtype;
  const Shape& shape;

  operator Buffer() const noexcept;  // NOLINT(google-explicit-constructor): where it is returned
};

/// A buffer's, until its memory has been given back: a destroyed one stays, *retired*, as long as work in flight or a
/// loan uses it. What remains of a buffer that got other bytes is retired too.
struct BufferRecord {
  BufferRecord() noexcept {}  // NOLINT(modernize-use-equals-default): a defaulted one is cleared first, byte by byte

  backend::MemoryId memory = backend::MemoryId::none;  ///< None as long as nobody has used a lazy one.
  std::uint64_t base = 0;                              ///< Where the buffer begins in the memory.
  std::uint64_t size = 0;
  std::uint32_t alignment = 1;
  Placement placement = Placement::device;
  bool is_sealed = false;
  bool is_pinned = false;   ///< Somebody outside knows where the bytes are: a recording, a mapping, a native handle.
  bool is_retired = false;  ///< No id finds it any more.
  std::uint32_t maps = 0;   ///< The user's, not undone yet. The backend counts those of all who share the memory.
  std::string label{};
  Stamps stamps{};
  Formation formation{};  ///< The bytes come from it: a submission that uses the buffer comes after.
  Stamps copied_by{};     ///< They make forks: a submission that writes the buffer comes after.
  std::weak_ptr<Loan> loan{};
  std::weak_ptr<void> use_of_loan{};  ///< Outlives the loan until the memory has been unmapped.
  bool is_lent_for_writing = false;   ///< Another device's lists may write the bytes, as long as there is a loan.
  Origin origin{};
  std::shared_ptr<SharedBytes> shared{};  ///< With forks; the origin is there then.
  std::shared_ptr<const void> kept{};     ///< The user's, until the buffer goes.
  std::uint64_t next_retired = 0;         ///< The id of the next in the chain.

  [[nodiscard]] const Origin& source() const noexcept { return shared != nullptr ? shared->origin : origin; }
  [[nodiscard]] bool is_lazy() const noexcept { return memory == backend::MemoryId::none; }
  [[nodiscard]] bool is_lent() const noexcept { return !use_of_loan.expired(); }
  [[nodiscard]] bool may_be_written_outside() const noexcept { return is_lent_for_writing && is_lent(); }
  /// Whether somebody must look at it before a command names its memory.
  [[nodiscard]] bool is_special() const noexcept {
    return is_sealed || is_lazy() || shared != nullptr || formation.queue != 0 || !copied_by.empty();
  }
};

}  // namespace pintle::core
