// The texels of OpenCL's images.
#pragma once

#include <vector>

#include "backends/opencl/api.h"
#include "pintle/texel.h"

namespace pintle::opencl {

[[nodiscard]] cl_image_format format_of(Texel texel) noexcept;

/// What every device with images has, as OpenCL 1.2 says.
[[nodiscard]] std::vector<TexelSupport> promised_texels();
/// What the devices of a context have.
[[nodiscard]] std::vector<TexelSupport> texels_of(cl_context context);

}  // namespace pintle::opencl
