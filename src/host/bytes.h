// Bytes that are moved or written in pieces, which threads can share.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "host/team.h"
#include "pintle/backend/command.h"

namespace pintle::host {

inline constexpr std::uint64_t bytes_of_piece = 1 << 20;

/// Whether `size` bytes are enough to cut into pieces.
[[nodiscard]] inline bool has_pieces(std::uint64_t size) noexcept { return size >= 2 * bytes_of_piece; }

/// A loop over the pieces of `size` bytes.
[[nodiscard]] inline Loop pieces_of(std::uint64_t size) noexcept {
  constexpr float usual = 250'000;  // nanoseconds for a piece of new memory
  return {.last = (size + bytes_of_piece - 1) / bytes_of_piece, .piece = usual};
}

/// Repeats the pattern of `fill`; the first copy begins at `to`.
inline void repeat(std::byte* to, std::uint64_t size, const backend::Fill& fill) noexcept {
  std::array<std::byte, 512> block;
  for (std::size_t offset = 0; offset < block.size(); offset += fill.pattern_size)
    std::memcpy(block.data() + offset, fill.pattern.bytes.data(), fill.pattern_size);
  for (std::uint64_t done = 0; done < size; done += block.size())
    std::memcpy(to + done, block.data(), std::min<std::uint64_t>(block.size(), size - done));
}

}  // namespace pintle::host
