#include "collective/heap/heap_allocator.h"

#include <algorithm>
#include <iterator>

#include "base/bytes.h"

namespace pintle::collective {
namespace {

/// Room for one more, in steps that grow, so that the insertion itself cannot fail.
template <class T>
void make_room(std::vector<T>& all) {
  if (all.size() == all.capacity()) all.reserve(all.size() * 2 + 8);
}

}  // namespace

HeapAllocator::HeapAllocator(std::uint64_t bytes, std::uint64_t alignment)
    : size_(bytes & ~(alignment - 1)), alignment_(alignment) {
  if (size_ != 0) free_.push_back({0, size_, 0, 0});
}

std::optional<std::uint64_t> HeapAllocator::allocate(std::uint64_t bytes, std::uint64_t serial) {
  if (bytes > size_) return std::nullopt;  // rounding up cannot overflow below
  const std::uint64_t size = base::round_up(std::max<std::uint64_t>(bytes, 1), alignment_);
  const auto best = best_for(size);
  if (best == free_.end()) return std::nullopt;
  make_room(taken_);
  if (free_.capacity() < taken_.size() + 2) free_.reserve(taken_.capacity() + 2);  // moves what `best` points at

  const auto from = best_for(size);
  const Piece piece{from->offset, size, serial, bytes};
  from->offset += size;
  from->size -= size;
  if (from->size == 0) free_.erase(from);
  taken_.insert(std::ranges::lower_bound(taken_, piece.offset, {}, &Piece::offset), piece);
  return piece.offset;
}

bool HeapAllocator::free(std::uint64_t offset, std::uint64_t serial) noexcept {
  const auto found = find(offset, serial);
  if (found == taken_.end()) return false;
  const Piece piece = *found;
  taken_.erase(found);
  give_back(piece);
  return true;
}

std::optional<std::uint64_t> HeapAllocator::size_of(std::uint64_t offset, std::uint64_t serial) const noexcept {
  const auto found = find(offset, serial);
  return found == taken_.end() ? std::nullopt : std::optional(found->asked);
}

std::uint64_t HeapAllocator::free_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const Piece& piece : free_) sum += piece.size;
  return sum;
}

std::uint64_t HeapAllocator::largest() const noexcept {
  return free_.empty() ? 0 : std::ranges::max_element(free_, {}, &Piece::size)->size;
}

HeapAllocator::Pieces::iterator HeapAllocator::best_for(std::uint64_t size) noexcept {
  auto best = free_.end();
  for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
    if (piece->size >= size && (best == free_.end() || piece->size < best->size)) best = piece;
  }
  return best;
}

HeapAllocator::Pieces::const_iterator HeapAllocator::find(std::uint64_t offset, std::uint64_t serial) const noexcept {
  const auto found = std::ranges::lower_bound(taken_, offset, {}, &Piece::offset);
  return found != taken_.end() && found->offset == offset && found->serial == serial ? found : taken_.end();
}

/// There is room: free pieces are at most one more than taken ones, since neighbours are joined.
void HeapAllocator::give_back(Piece piece) noexcept {
  auto after = std::ranges::lower_bound(free_, piece.offset, {}, &Piece::offset);
  if (after != free_.end() && piece.offset + piece.size == after->offset) {
    piece.size += after->size;
    after = free_.erase(after);
  }
  if (after != free_.begin() && std::prev(after)->offset + std::prev(after)->size == piece.offset) {
    std::prev(after)->size += piece.size;
    return;
  }
  free_.insert(after, piece);
}

}  // namespace pintle::collective
