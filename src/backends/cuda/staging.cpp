#include "backends/cuda/staging.h"

#include <algorithm>

namespace pintle::cuda {

Result<void> Staging::started(Status status, std::string_view call, std::size_t commands) {
  PINTLE_TRY(context_.check(status, call));
  batch_.commands += commands;
  return {};
}

Result<std::byte*> Staging::take(std::uint64_t size) {
  if (batch_.staged.size() == batch_.staged.capacity()) batch_.staged.reserve(2 * batch_.staged.size() + 1);
  PINTLE_ASSIGN(piece, pinned_.take({size, 1, Placement::host, "staging"}));
  batch_.staged.push_back(piece);
  return piece.host();
}

Result<std::byte*> Staging::copy_of(std::span<const std::byte> bytes) {
  PINTLE_ASSIGN(place, take(bytes.size()));
  if (!context_.host().enter()) return context_.cause();
  std::ranges::copy(bytes, place);
  context_.host().leave();
  return place;
}

Result<std::byte*> Staging::place_for(std::byte* target, std::uint64_t size) {
  PINTLE_ASSIGN(place, take(size));
  batch_.deliveries.push_back({target, place, size});
  return place;
}

}  // namespace pintle::cuda
