// GLSL to SPIR-V, by whatever compiler the machine has.
#pragma once

#include <cstddef>
#include <vector>

#include "pintle/backend/driver.h"

namespace pintle::vulkan {

/// True where one of the programs glslc and glslangValidator is in PATH, or libshaderc can be opened. Looked for once.
[[nodiscard]] bool can_compile_glsl();

/// The module of one entry, whose main() is compiled with PINTLE_ENTRY_<name> and PINTLE_GROUP_X, _Y and _Z, and with
/// what the image's source options say. It comes from the cache of compiled code where the cache has it.
/// `build_failed` has the compiler's words; `unavailable` where a library alone compiles, which takes macros only.
[[nodiscard]] Result<std::vector<std::byte>> compile_glsl(const backend::ProgramImage& image, const Entry& entry);

}  // namespace pintle::vulkan
