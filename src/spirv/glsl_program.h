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
  std::string file;  ///< The file's name in the compiler's words.
  std::string_view text;
  std::vector<std::pair<std::string, std::string>> macros;
  std::vector<std::string> include_folders{};
  std::string language{};  ///< "460": in place of the source's #version. "vulkan1.3": what the code is for.
};

/// The first of glslc and glslangValidator in PATH. Its size and time of change stand for its version, since listing
/// devices should start no process. `unavailable` names both programs.
[[nodiscard]] Result<std::string> find_glsl_program();

/// Makes SPIR-V 1.5 for Vulkan 1.2, or what the language says. `invalid_argument` for a language of another form.
/// `build_failed` has only the compiler's words. A program that hangs is killed after two minutes.
[[nodiscard]] Result<std::vector<std::byte>> compile_glsl(const GlslSource& source);

}  // namespace pintle::spirv
