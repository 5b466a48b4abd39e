// Large transfers, cut into pieces that every driver takes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "pintle/error.h"

namespace pintle::kit {

/// Some drivers count the bytes of a transfer in 32 bits with a sign: Mesa's software devices end the process, or lose
/// the device, at 2^31 of them. A multiple of every pattern of a fill.
inline constexpr std::uint64_t largest_piece = std::uint64_t{1} << 30;

/// Calls `piece(at, size, is_last)` for each piece of `size` bytes, in order, until one fails.
template <class Piece>
[[nodiscard]] Result<void> in_pieces(std::uint64_t size, Piece piece) {
  for (std::uint64_t at = 0; at < size; at += largest_piece) {
    const std::uint64_t some = std::min(size - at, largest_piece);
    PINTLE_TRY(piece(at, some, at + some == size));
  }
  return {};
}

}  // namespace pintle::kit
