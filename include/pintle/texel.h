// The texels of images, and parts of images.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pintle/access.h"

namespace pintle {

/// One texel: its channels, and how each is stored. The names are those of GLSL. The numbers are stable: each kind of
/// channel has one for r, rg and rgba.
enum class Texel : std::uint8_t {
  r8 = 1,  ///< Bytes that kernels read as [0, 1].
  rg8 = 2,
  rgba8 = 3,
  r8_snorm = 4,  ///< Bytes that kernels read as [-1, 1].
  rg8_snorm = 5,
  rgba8_snorm = 6,
  r8ui = 7,
  rg8ui = 8,
  rgba8ui = 9,
  r8i = 10,
  rg8i = 11,
  rgba8i = 12,
  r16 = 13,
  rg16 = 14,
  rgba16 = 15,
  r16_snorm = 16,
  rg16_snorm = 17,
  rgba16_snorm = 18,
  r16ui = 19,
  rg16ui = 20,
  rgba16ui = 21,
  r16i = 22,
  rg16i = 23,
  rgba16i = 24,
  r32ui = 25,
  rg32ui = 26,
  rgba32ui = 27,
  r32i = 28,
  rg32i = 29,
  rgba32i = 30,
  r16f = 31,
  rg16f = 32,
  rgba16f = 33,
  r32f = 34,
  rg32f = 35,
  rgba32f = 36,
};

/// What one channel is.
enum class Channel : std::uint8_t {
  unorm8 = 0,
  snorm8 = 1,
  u8 = 2,
  i8 = 3,
  unorm16 = 4,
  snorm16 = 5,
  u16 = 6,
  i16 = 7,
  u32 = 8,
  i32 = 9,
  f16 = 10,
  f32 = 11,
};

/// False for a number that only a cast can make.
[[nodiscard]] constexpr bool is_texel(Texel texel) noexcept { return texel >= Texel::r8 && texel <= Texel::rgba32f; }
[[nodiscard]] constexpr Channel channel_of(Texel texel) noexcept {
  return static_cast<Channel>((static_cast<unsigned>(texel) - 1) / 3);
}
/// 1, 2 or 4.
[[nodiscard]] constexpr std::uint32_t channels_of(Texel texel) noexcept {
  const unsigned place = (static_cast<unsigned>(texel) - 1) % 3;
  return place == 2 ? 4 : place + 1;
}
/// Bytes of one channel.
[[nodiscard]] constexpr std::uint32_t bytes_of(Channel channel) noexcept {
  if (channel <= Channel::i8) return 1;
  return channel <= Channel::i16 || channel == Channel::f16 ? 2 : 4;
}
/// Bytes of one texel.
[[nodiscard]] constexpr std::uint32_t bytes_of(Texel texel) noexcept {
  return channels_of(texel) * bytes_of(channel_of(texel));
}
/// Whether kernels read and write its channels as integers. Such a texel cannot be filtered.
[[nodiscard]] constexpr bool is_integer(Texel texel) noexcept {
  const Channel channel = channel_of(texel);
  return channel == Channel::u8 || channel == Channel::i8 || (channel >= Channel::u16 && channel <= Channel::i32);
}
/// The name in signatures and messages: "rgba8".
[[nodiscard]] std::string_view name(Texel texel) noexcept;
/// The texel of a name; empty when there is none.
[[nodiscard]] std::optional<Texel> parse_texel(std::string_view name) noexcept;
/// Every texel's name, separated by ", ", for messages; cut short where host memory runs out.
[[nodiscard]] std::string texel_names() noexcept;

/// What a device can do with images, or with texel buffers, of one texel.
struct TexelSupport {
  Texel texel = Texel::rgba8;
  Access access = Access::read;  ///< What kernels may do with one image, each launch one of them.
  bool is_filtered = false;      ///< A sampler may be linear.
  friend bool operator==(const TexelSupport&, const TexelSupport&) = default;
};

/// The sides of an image, in texels.
struct ImageExtent {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t depth = 0;  ///< 0: the image has two dimensions.
  friend bool operator==(const ImageExtent&, const ImageExtent&) = default;

  [[nodiscard]] constexpr std::uint32_t dimensions() const noexcept { return depth == 0 ? 2 : 3; }
  /// 1 where there are two dimensions.
  [[nodiscard]] constexpr std::uint32_t slices() const noexcept { return depth == 0 ? 1 : depth; }
};

/// A part of an image, and how its rows lie in a buffer. Rows, and slices of three dimensions, follow each other
/// without gaps unless it says more.
struct ImagePart {
  std::uint32_t x = 0;  ///< The first texel of the part.
  std::uint32_t y = 0;
  std::uint32_t z = 0;
  ImageExtent extent{};           ///< Zeros: from the first texel to the end of the image.
  std::uint64_t row_bytes = 0;    ///< From one row in the buffer to the next; a multiple of the texel. 0: no gaps.
  std::uint64_t slice_bytes = 0;  ///< From one slice in the buffer to the next; a multiple of the row. 0: no gaps.
};

}  // namespace pintle
