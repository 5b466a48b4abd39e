// What stands behind a Buffer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/buffers/pool_heap.h"
#include "core/buffers/stamps.h"
#include "pintle/backend/command.h"
#include "pintle/dtype.h"
#include "pintle/info.h"

namespace pintle::core {

class Incarnation;
class Loan;
class PoolState;

/// Where a buffer's memory goes when nobody uses it any more.
struct Origin {
  PoolState* pool = nullptr;  ///< With its chunk; otherwise the memory is the buffer's own.
  PoolHeap::Chunk* chunk = nullptr;
  std::shared_ptr<const void> keeper{};  ///< Of memory that is somebody else's: let go after the last use.
};

/// Bytes that forks of one buffer have in common, until one of them is written.
struct SharedBytes {
  std::uint64_t owners = 0;
  Origin origin;
  /// Uses of the bytes that an owner cannot know of: before a fork, and by owners that have left. Who writes the bytes,
  /// or copies them to write the copy, comes after.
  Stamps before;
};

/// What a user's Buffer is made of, where it is to be.
struct NewBuffer {
  Incarnation* incarnation;
  std::uint64_t id;
  std::uint64_t size;
  DType dtype;
  const Shape& shape;
};

struct BufferRecord {
  BufferRecord() noexcept {}  // NOLINT(modernize-use-equals-default): a defaulted one is cleared first, byte by byte

  backend::MemoryId memory = backend::MemoryId::none;  ///< None as long as nobody has used a lazy one.
  std::uint64_t base = 0;                              ///< Where the buffer begins in the memory.
  std::uint64_t size = 0;
  std::uint32_t alignment = 1;
  Placement placement = Placement::device;
  bool is_sealed = false;
  bool is_pinned = false;  ///< Somebody outside knows where the bytes are: a recording, a mapping, a native handle.
  std::string label{};
  Stamps stamps{};
  std::weak_ptr<Loan> loan{};
  Origin origin{};
  std::shared_ptr<SharedBytes> shared{};  ///< With forks; the origin is there then.
  std::shared_ptr<const void> kept{};     ///< The user's, until the buffer goes.

  [[nodiscard]] const Origin& source() const noexcept { return shared != nullptr ? shared->origin : origin; }
  [[nodiscard]] bool is_lazy() const noexcept { return memory == backend::MemoryId::none; }
  /// Whether somebody must look at it before a command names its memory.
  [[nodiscard]] bool is_special() const noexcept { return is_sealed || is_lazy() || shared != nullptr; }
};

}  // namespace pintle::core
