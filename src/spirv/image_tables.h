// Images and texel buffers among the types of a module.
#pragma once

#include <cstdint>

#include "spirv/image_type.h"
#include "spirv/tables.h"

namespace pintle::spirv {

/// `type` is an OpTypeImage, or anything, of which no signature can declare an image or a texel buffer.
[[nodiscard]] ImageType image_type_of(const Tables& tables, std::uint32_t type);

}  // namespace pintle::spirv
