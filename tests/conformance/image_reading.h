// What samplers read of images, in plain C++: the oracle of the cases.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pintle/sampler.h"
#include "pintle/texel.h"

namespace pintle::conformance {

/// An image as rows without gaps, and what its channels are.
struct HostImage {
  ImageExtent extent;
  Texel texel = Texel::rgba8;
  std::vector<std::uint8_t> bytes;
  std::vector<double> values;  ///< Each channel of each texel.
};

/// An image whose neighbours differ.
[[nodiscard]] HostImage host_image(const ImageExtent& extent, Texel texel);

/// The bytes that the values become when a kernel writes them: the least of normalised integers is -1, as is the next.
[[nodiscard]] std::vector<std::uint8_t> written(const HostImage& image);

/// What a sampler reads at a place, in the channels that the texel has.
[[nodiscard]] std::array<double, 4> read_of(const HostImage& image, const Sampler& sampler,
                                            std::span<const float, 3> at);

/// Places in an image and beside it, four floats each. None is so near to where a sampler jumps that rounding decides.
[[nodiscard]] std::vector<float> places_in(const ImageExtent& extent, const Sampler& sampler);

/// How far a device may be from the oracle: weights have 8 bits.
[[nodiscard]] double tolerance_of(Texel texel, const Sampler& sampler);

}  // namespace pintle::conformance
