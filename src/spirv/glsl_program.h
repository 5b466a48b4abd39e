// The programs that compile GLSL to SPIR-V, found at run time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pintle/error.h"

namespace pintle::spirv {

/// A compute shader.
struct GlslSource {
  std::string file;  ///< As the compiler's words call it.
  std::string_view text;
  std::vector<std::pair<std::string, std::string>> macros;
};

/// The first of glslc and glslangValidator in PATH, and what tells it from another version: its size and when it was
/// changed, since listing devices should start no process. `unavailable` names them.
[[nodiscard]] Result<std::string> find_glsl_program();

/// SPIR-V 1.5 for Vulkan 1.2. `build_failed` has only the compiler's words; one that hangs is killed after two minutes.
[[nodiscard]] Result<std::vector<std::byte>> compile_glsl(const GlslSource& source);

}  // namespace pintle::spirv
