// Pictures as files: PNG in, PNG out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pintle/error.h"

namespace demo {

/// Eight-bit gray, row by row.
struct Picture {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> gray;

  [[nodiscard]] std::uint64_t pixels() const noexcept { return std::uint64_t{width} * height; }
};

/// What fits three buffers and the oracle's double precision in memory: a little more than 7680 x 4320.
inline constexpr std::uint64_t most_pixels = std::uint64_t{1} << 25;

/// Any PNG: colours become gray, 16 bits become 8, and what is transparent lies on black. `invalid_argument` for a
/// picture that is none, is cut off, or has more than `most_pixels`; libpng's words are in the message.
[[nodiscard]] pintle::Result<Picture> read_picture(const std::string& path);
[[nodiscard]] pintle::Result<void> write_picture(const Picture& picture, const std::string& path);

}  // namespace demo
