// What the kernels must compute, in double precision and in its own words. Nothing here is shared with the kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "examples/demo/picture.h"

namespace demo {

/// The picture that the kernel `draw` draws.
[[nodiscard]] Picture drawn_picture(std::uint32_t width, std::uint32_t height);
/// A 5 x 5 Gaussian blur with a standard deviation of one pixel.
[[nodiscard]] std::vector<double> blurred(const Picture& picture);
/// The length of the Sobel gradient of `values`, a picture of `width` by `height`.
[[nodiscard]] std::vector<double> sobel_edges(const std::vector<double>& values, std::uint32_t width,
                                              std::uint32_t height);

}  // namespace demo
