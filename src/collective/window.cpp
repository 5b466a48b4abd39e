#include "collective/window.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pintle::collective {
namespace {

/// The error of a window that is not addressable and does not override a function.
Error out_of_reach() noexcept { return {Errc::internal, "The piece of a rank is out of this processor's reach."}; }

bool are_all_there(const std::vector<std::byte*>& pieces) {
  return std::ranges::none_of(pieces, [](const std::byte* piece) { return piece == nullptr; });
}

}  // namespace

Window::Window(std::uint32_t rank, std::uint64_t size, std::vector<std::byte*> pieces)
    : rank_(rank), size_(size), pieces_(std::move(pieces)), is_addressable_(are_all_there(pieces_)) {}

Result<void> Window::put(std::uint32_t rank, std::uint64_t offset, std::span<const std::byte> from) {
  std::byte* const piece = at(rank);
  if (piece == nullptr) return out_of_reach();
  if (!from.empty()) std::memcpy(piece + offset, from.data(), from.size());
  return {};
}

Result<void> Window::get(std::uint32_t rank, std::uint64_t offset, std::span<std::byte> to) {
  const std::byte* const piece = at(rank);
  if (piece == nullptr) return out_of_reach();
  if (!to.empty()) std::memcpy(to.data(), piece + offset, to.size());
  return {};
}

Result<void> Window::store(std::uint32_t rank, std::uint64_t offset, std::uint64_t value) {
  if (at(rank) == nullptr) return out_of_reach();
  word_in(at(rank), offset).store(value, std::memory_order_seq_cst);
  return {};
}

Result<void> Window::raise(std::uint32_t rank, std::uint64_t offset, std::uint64_t value) {
  if (at(rank) == nullptr) return out_of_reach();
  const auto word = word_in(at(rank), offset);
  std::uint64_t seen = word.load(std::memory_order_relaxed);
  while (seen < value && !word.compare_exchange_weak(seen, value, std::memory_order_seq_cst)) continue;
  return {};
}

Result<void> Window::flush() {
  return {};  // the processor reaches every piece: a copy is there once it is made
}

}  // namespace pintle::collective
