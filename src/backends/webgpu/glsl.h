// GLSL to SPIR-V, by a program of the machine.
#pragma once

#include <cstddef>
#include <vector>

#include "pintle/backend/driver.h"

namespace pintle::webgpu {

/// The module of one entry, whose main() is compiled with PINTLE_ENTRY_<name> and PINTLE_GROUP_X, _Y and _Z, and with
/// what the image's source options say. It comes from the cache of compiled code where the cache has it.
/// `build_failed` has the compiler's words.
[[nodiscard]] Result<std::vector<std::byte>> compile_glsl(const backend::ProgramImage& image, const Entry& entry);

}  // namespace pintle::webgpu
