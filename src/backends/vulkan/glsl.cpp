#include "backends/vulkan/glsl.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/made_once.h"
#include "base/quote.h"
#include "kit/code_cache.h"
#include "pintle/version.h"
#include "spirv/glsl_program.h"
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

Result<std::vector<std::byte>> compile_glsl(std::string_view name, std::span<const std::byte> source,
                                            const Entry& entry) {
  const spirv::GlslSource unit{fmt::format("{}.comp", base::is_identifier(name) ? name : "kernel"),
                               base::text_in(source),
                               {{"PINTLE_ENTRY_" + entry.name, "1"},
                                {"PINTLE_GROUP_X", std::to_string(entry.group_size.x)},
                                {"PINTLE_GROUP_Y", std::to_string(entry.group_size.y)},
                                {"PINTLE_GROUP_Z", std::to_string(entry.group_size.z)}}};
  PINTLE_ASSIGN(compiler, identity());
  std::string all = fmt::format("pintle {} {}\n", version, compiler);
  for (const auto& [macro, value] : unit.macros) all += fmt::format("{}={}\n", macro, value);
  all += unit.text;
  PINTLE_ASSIGN(cache, kit::CodeCache::of_settings());
  auto code = cache.obtain_bytes(base::sha256(base::bytes_in(all)), ".spv", [&] {
    return library() ? library()->compile(unit.text, unit.file.c_str(), unit.macros) : spirv::compile_glsl(unit);
  });
  if (code || code.error().code() != Errc::build_failed) return code;
  return Error(Errc::build_failed, fmt::format("Entry {} of [Program {}] does not compile:\n{}",
                                               base::quote(entry.name), base::quote(name), code.error().message()));
}

}  // namespace pintle::vulkan
