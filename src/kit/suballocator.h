// Places within a block: offsets without a device.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace pintle::kit {

/// Hands out ranges of [0, size), each from the smallest free range that fits. Free neighbours become one range. Not
/// thread-safe.
class Suballocator {
 public:
  /// `size` is at least 1.
  explicit Suballocator(std::uint64_t size);

  /// The offset, a multiple of `alignment` (a power of two), of `size` bytes (at least 1); empty when no free range
  /// fits. May throw std::bad_alloc, and then nothing is taken.
  [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t size, std::uint64_t alignment);
  /// Frees the range at an `offset` that `allocate` has returned. Needs no memory.
  void release(std::uint64_t offset) noexcept;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t used() const noexcept { return used_; }
  /// The size of the largest free range.
  [[nodiscard]] std::uint64_t largest() const noexcept { return free_.empty() ? 0 : free_.rbegin()->first; }

 private:
  using FreeRanges = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // (size, offset)
  struct Piece {
    std::uint64_t size = 0;
    FreeRanges::node_type place;  // its node in `free_`, kept while the piece is taken: releasing needs no memory
    [[nodiscard]] bool is_free() const noexcept { return place.empty(); }
  };
  using Pieces = std::map<std::uint64_t, Piece>;  // by offset; they tile the block

  [[nodiscard]] static FreeRanges::node_type node_for(std::uint64_t size, std::uint64_t offset);
  void split(Pieces::iterator piece, std::uint64_t size);
  void merge_with_next(Pieces::iterator piece) noexcept;

  std::uint64_t size_;
  std::uint64_t used_ = 0;
  Pieces pieces_;
  FreeRanges free_;
};

}  // namespace pintle::kit
