// What the cases with images have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/context.h"

namespace pintle::conformance {

using Octets = std::vector<std::uint8_t>;

/// What the device can do with images of a texel; null where it has none.
[[nodiscard]] const TexelSupport* support_of(const Context& test, Texel texel);
/// Skips the case where the device has no images of the texel that kernels read and write.
void require_texel(const Context& test, Texel texel);
[[nodiscard]] Image make_image(const Context& test, const ImageExtent& extent, Texel texel,
                               Access access = Access::read_write);

/// Bytes of which neighbours differ.
[[nodiscard]] Octets pattern(std::size_t count, std::uint32_t seed = 1);
/// Writes all texels of an image.
void put(const Context& test, Queue& queue, const ImageView& image, const Octets& texels);
/// All texels of an image, once everything on `queue` is done.
[[nodiscard]] Octets texels_of(const Context& test, Queue& queue, const ImageView& image);

}  // namespace pintle::conformance
