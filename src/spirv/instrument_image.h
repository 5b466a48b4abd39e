// The shaders of a whole image, with checks.
#pragma once

#include <cstddef>
#include <vector>

#include "pintle/backend/driver.h"
#include "pintle/entry.h"
#include "pintle/error.h"
#include "spirv/instrument.h"

namespace pintle::spirv {

/// What is loaded instead of an image, in the format spirv.
struct InstrumentedImage {
  std::vector<std::byte> code;                       ///< A module for each entry.
  std::vector<Entry> entries;                        ///< Each has the note as its last parameter.
  std::vector<std::vector<CheckedAccess>> accesses;  ///< By entry.
};

/// `image` has the format spirv or glsl. Errors are those of a backend's `load`. May throw std::bad_alloc.
[[nodiscard]] Result<InstrumentedImage> instrument_image(const backend::ProgramImage& image);

}  // namespace pintle::spirv
