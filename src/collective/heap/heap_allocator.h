// Which parts of a heap are taken. The same calls give the same offsets on every rank.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pintle::collective {

/// Best fit, the lowest of those; what is freed joins its free neighbours. Keeps its books beside the heap, where no
/// other rank reaches them.
class HeapAllocator {
 public:
  /// `alignment` is a power of two, at most 4096, and `bytes` so far from 2^64 that it can be rounded up to it.
  HeapAllocator(std::uint64_t bytes, std::uint64_t alignment);

  /// An offset for `bytes`, of which 0 take a place, too; empty when no free piece is large enough. `serial` tells this
  /// allocation from others at the offset. Throws std::bad_alloc, with nothing changed.
  [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t serial);
  /// False when there is no such allocation.
  bool free(std::uint64_t offset, std::uint64_t serial) noexcept;
  /// The bytes that were asked for; empty when there is no such allocation.
  [[nodiscard]] std::optional<std::uint64_t> size_of(std::uint64_t offset, std::uint64_t serial) const noexcept;

  [[nodiscard]] std::uint64_t free_bytes() const noexcept;
  [[nodiscard]] std::uint64_t largest() const noexcept;

 private:
  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t serial = 0;  // of what is taken
    std::uint64_t asked = 0;   // likewise
  };
  using Pieces = std::vector<Piece>;  // by offset

  [[nodiscard]] Pieces::iterator best_for(std::uint64_t size) noexcept;
  [[nodiscard]] Pieces::const_iterator find(std::uint64_t offset, std::uint64_t serial) const noexcept;
  void give_back(Piece piece) noexcept;

  const std::uint64_t size_;
  const std::uint64_t alignment_;
  Pieces free_;
  Pieces taken_;
};

}  // namespace pintle::collective
