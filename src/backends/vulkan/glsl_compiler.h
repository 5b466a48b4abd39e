// The ways to a GLSL compiler.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pintle/error.h"

namespace pintle::vulkan {

struct GlslSource {
  std::string file;  ///< As the compiler's words call it.
  std::string_view text;
  std::vector<std::pair<std::string, std::string>> macros;
};

class GlslCompiler {
 public:
  virtual ~GlslCompiler() = default;
  /// Of the compiler and its version.
  [[nodiscard]] virtual Result<std::string> identity() = 0;
  /// SPIR-V 1.5 for Vulkan 1.2. `build_failed` has only the compiler's words.
  [[nodiscard]] virtual Result<std::vector<std::byte>> compile(const GlslSource& source) = 0;
};

/// libshaderc, in this process.
[[nodiscard]] Result<std::unique_ptr<GlslCompiler>> open_shaderc();
/// glslc or glslangValidator, found in PATH. Some systems have a libshaderc that cannot be opened, but a glslc that
/// works.
[[nodiscard]] Result<std::unique_ptr<GlslCompiler>> find_glsl_program();

}  // namespace pintle::vulkan
