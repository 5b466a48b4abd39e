// How an enqueued operation is cut into chunks: the same on every rank, whatever its device.
#pragma once

#include <cstdint>

#include "collective/group/call.h"

namespace pintle::collective {

/// A piece of each part.
struct Chunk {
  std::uint64_t offset = 0;  ///< Bytes from the part's beginning.
  std::uint64_t size = 0;    ///< Bytes.

  friend bool operator==(const Chunk&, const Chunk&) noexcept = default;
};

/// Cuts `part` bytes into chunks. A chunk's bytes, times the most parts that the operation has on a rank, are at most
/// `most`. Chunks begin at multiples of 16 bytes, so they are whole elements of every dtype. A part of no bytes is one
/// empty chunk, so that ranks that do not match find out.
class Cut {
 public:
  Cut(Operation operation, std::uint64_t part, std::uint32_t ranks, std::uint64_t most) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] Chunk at(std::uint64_t index) const noexcept;

 private:
  std::uint64_t part_;
  std::uint64_t size_;
  std::uint64_t count_;
};

}  // namespace pintle::collective
