// The texels of OpenCL's images, those over buffers among them.
#pragma once

#include <vector>

#include "backends/opencl/api.h"
#include "pintle/texel.h"

namespace pintle::opencl {

[[nodiscard]] cl_image_format format_of(Texel texel) noexcept;

/// What every device with images of the type has, as OpenCL 1.2 says.
[[nodiscard]] std::vector<TexelSupport> promised_texels(cl_mem_object_type type);
/// What the devices of a context have.
[[nodiscard]] std::vector<TexelSupport> texels_of(cl_context context, cl_mem_object_type type);

}  // namespace pintle::opencl
