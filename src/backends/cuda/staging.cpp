#include "backends/cuda/staging.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "backends/cuda/call.h"
#include "base/bytes.h"

namespace pintle::cuda {

std::uint64_t host_bytes_of(const backend::Command& command) noexcept {
  if (const auto* const upload = std::get_if<backend::Upload>(&command.operation)) return upload->to.size;
  const auto* const download = std::get_if<backend::Download>(&command.operation);
  return download == nullptr ? 0 : download->from.size;
}

std::uint64_t staged_bytes(const backend::Command& command) noexcept {
  std::uint64_t size = host_bytes_of(command);
  if (const auto* const fill = std::get_if<backend::Fill>(&command.operation); fill != nullptr && !is_short(*fill))
    size = std::min(fill->to.size, most_pattern);
  return base::round_up(size, staged_alignment);
}

Result<std::byte*> Staging::take(std::uint64_t size) {
  const std::uint64_t held = batch_.staged ? batch_.staged->size : 0;
  if (batch_.used + size > held)
    return Error(Errc::internal, fmt::format("A batch has staged ({}) of ({}) bytes, and has no room for ({}).",
                                             batch_.used, held, size));
  std::byte* const place = batch_.staged->host() + batch_.used;
  batch_.used += base::round_up(size, staged_alignment);
  return place;
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
