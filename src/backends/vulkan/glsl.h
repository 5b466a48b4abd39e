// GLSL to SPIR-V, by whatever compiler the machine has.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "pintle/entry.h"
#include "pintle/error.h"

namespace pintle::vulkan {

/// True where one of the programs glslc and glslangValidator is in PATH, or libshaderc can be opened. Looked for once.
[[nodiscard]] bool can_compile_glsl();

/// The module of one entry, whose main() is compiled with PINTLE_ENTRY_<name> and PINTLE_GROUP_X, _Y and _Z. It comes
/// from the cache of compiled code where the cache has it. `build_failed` has the compiler's words.
[[nodiscard]] Result<std::vector<std::byte>> compile_glsl(std::string_view name, std::span<const std::byte> source,
                                                          const Entry& entry);

}  // namespace pintle::vulkan
