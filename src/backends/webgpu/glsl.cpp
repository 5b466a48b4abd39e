#include "backends/webgpu/glsl.h"

#include <fmt/format.h>

#include "base/quote.h"
#include "kit/code_cache.h"
#include "spirv/glsl_program.h"
#include "spirv/glsl_source.h"

namespace pintle::webgpu {

Result<std::vector<std::byte>> compile_glsl(const backend::ProgramImage& image, const Entry& entry) {
  spirv::GlslSource unit = spirv::source_of(image, entry);
  if (unit.language.empty()) unit.language = "vulkan1.1";  // SPIR-V 1.3 is what the implementations read best
  PINTLE_ASSIGN(compiler, spirv::find_glsl_program());
  const std::string recipe = fmt::format("{}\n{}", compiler, spirv::dependencies_of(unit));
  auto code = kit::CodeCache::bytes_of(recipe, ".spv", [&] { return spirv::compile_glsl(unit); });
  if (code || code.error().code() != Errc::build_failed) return code;
  return Error(Errc::build_failed,
               fmt::format("Entry {} of [Program {}] does not compile:\n{}", base::quote(entry.name),
                           base::quote(image.name), code.error().message()));
}

}  // namespace pintle::webgpu
