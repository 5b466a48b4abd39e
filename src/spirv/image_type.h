// The type of an image, or of texels in a buffer, as a kernel's code declares it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/number.h"
#include "pintle/texel.h"

namespace pintle::spirv {

struct ImageType {
  std::uint8_t dimensions = 0;   ///< 2 or 3; 1 for a texel buffer; 0: no signature can declare it.
  std::optional<Texel> texel{};  ///< Where the code gives the format.
  base::Number number{};         ///< What the code reads and writes as a channel.
  std::string refused{};         ///< Why no signature can declare it: "of one dimension".
};

/// "image2d", "image3d" or "texel_buffer".
[[nodiscard]] std::string shape_text(const ImageType& type);
/// "image2d rgba8"; without a format "image2d of f32".
[[nodiscard]] std::string text_of(const ImageType& type);
/// Whether an image, or a buffer, of the texel may be bound there.
[[nodiscard]] bool may_be(const ImageType& type, Texel texel) noexcept;

}  // namespace pintle::spirv
