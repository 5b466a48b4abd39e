// Which parts of a heap are taken. The same calls give the same offsets on every rank.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace pintle::collective {

/// Takes the smallest free piece that fits, and the lowest of equal ones. A freed piece joins its free neighbours. The
/// books are kept outside the heap, where no other rank reaches them.
class HeapAllocator {
 public:
  /// `alignment` is a power of two, at most 4096. `bytes` can be rounded up to a multiple of it without overflow.
  HeapAllocator(std::uint64_t bytes, std::uint64_t alignment);

  /// An offset for `bytes`; 0 bytes take a place, too. Empty when no free piece is large enough. `serial` tells this
  /// allocation from others at the offset. When it throws std::bad_alloc, nothing has changed.
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
    std::uint64_t serial = 0;  // of the allocation, in a taken piece
    std::uint64_t asked = 0;   // bytes that its caller asked for
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
