#include "kit/suballocator.h"

#include <iterator>

namespace pintle::kit {

Suballocator::Suballocator(std::uint64_t size) : size_(size) {
  pieces_[0].size = size;
  free_.emplace(size, 0);
}

Suballocator::FreeRanges::node_type Suballocator::node_for(std::uint64_t size, std::uint64_t offset) {
  FreeRanges one;
  one.emplace(size, offset);
  return one.extract(one.begin());
}

std::optional<std::uint64_t> Suballocator::allocate(std::uint64_t size, std::uint64_t alignment) {
  for (auto range = free_.lower_bound({size, 0}); range != free_.end(); ++range) {
    const auto [free_size, offset] = *range;
    const std::uint64_t skipped = (alignment - offset % alignment) % alignment;
    if (skipped > free_size || size > free_size - skipped) continue;
    auto piece = pieces_.find(offset);
    if (skipped != 0) {
      split(piece, skipped);
      piece = std::next(piece);
    }
    if (piece->second.size > size) split(piece, size);
    piece->second.place = free_.extract({piece->second.size, piece->first});
    used_ += size;
    return piece->first;
  }
  return std::nullopt;
}

/// Both parts stay free. Steps that need memory come first, so that an exception leaves the piece whole.
void Suballocator::split(Pieces::iterator piece, std::uint64_t size) {
  const std::uint64_t offset = piece->first;
  const std::uint64_t rest = piece->second.size - size;
  FreeRanges::node_type second = node_for(rest, offset + size);
  pieces_.emplace_hint(std::next(piece), offset + size, Piece{rest, {}});
  FreeRanges::node_type first = free_.extract({piece->second.size, offset});
  first.value() = {size, offset};
  piece->second.size = size;
  free_.insert(std::move(first));
  free_.insert(std::move(second));
}

void Suballocator::release(std::uint64_t offset) noexcept {
  auto piece = pieces_.find(offset);
  if (piece == pieces_.end() || piece->second.is_free()) return;
  used_ -= piece->second.size;
  piece->second.place.value() = {piece->second.size, offset};
  free_.insert(std::move(piece->second.place));
  piece->second.place = {};
  merge_with_next(piece);
  if (piece != pieces_.begin()) merge_with_next(std::prev(piece));
}

void Suballocator::merge_with_next(Pieces::iterator piece) noexcept {
  const auto next = std::next(piece);
  if (next == pieces_.end() || !piece->second.is_free() || !next->second.is_free()) return;
  free_.erase({next->second.size, next->first});
  FreeRanges::node_type merged = free_.extract({piece->second.size, piece->first});
  piece->second.size += next->second.size;
  merged.value() = {piece->second.size, piece->first};
  free_.insert(std::move(merged));
  pieces_.erase(next);
}

}  // namespace pintle::kit
