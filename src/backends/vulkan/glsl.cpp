#include "backends/vulkan/glsl.h"

#include <fmt/format.h>

#include "base/made_once.h"
#include "base/quote.h"
#include "kit/code_cache.h"
#include "spirv/glsl_program.h"
#include "spirv/glsl_source.h"
#include "vendor/shaderc/functions.h"

namespace pintle::vulkan {
namespace {

using vendor::shaderc::Functions;

const Result<Functions>& library() {
  static const auto& opened = *new auto(base::made_once(Functions::open()));
  return opened;
}

/// The program comes first: some systems have a libshaderc that cannot be opened, but a glslc that works.
const Result<std::string>& program() {
  static const auto& found = *new auto(base::made_once(spirv::find_glsl_program()));
  return found;
}

/// The identity of the program is known without starting it, where the library would have to be opened. So a cached
/// kernel needs neither. Where the machine has both, they come from one release of shaderc, and either marks it.
Result<std::string> identity() {
  if (program() || !library()) return program();
  unsigned version = 0;
  unsigned revision = 0;
  library()->get_spv_version(&version, &revision);
  return fmt::format("{} {} {}", library()->library.name(), version, revision);
}

}  // namespace

bool can_compile_glsl() { return program() || library(); }

Result<std::vector<std::byte>> compile_glsl(const backend::ProgramImage& image, const Entry& entry) {
  const spirv::GlslSource unit = spirv::source_of(image, entry);
  const bool is_plain = unit.include_folders.empty() && unit.language.empty();
  if (!is_plain) PINTLE_TRY(program());
  PINTLE_ASSIGN(compiler, identity());
  const std::string recipe = fmt::format("{}\n{}", compiler, spirv::dependencies_of(unit));
  auto code = kit::CodeCache::bytes_of(recipe, ".spv", [&] {
    const bool by_library = is_plain && library();
    return by_library ? library()->compile(unit.text, unit.file.c_str(), unit.macros) : spirv::compile_glsl(unit);
  });
  if (code || code.error().code() != Errc::build_failed) return code;
  return Error(Errc::build_failed,
               fmt::format("Entry {} of [Program {}] does not compile:\n{}", base::quote(entry.name),
                           base::quote(image.name), code.error().message()));
}

}  // namespace pintle::vulkan
