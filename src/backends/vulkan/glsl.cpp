#include "backends/vulkan/glsl.h"

#include <fmt/format.h>

#include "backends/vulkan/cached.h"
#include "backends/vulkan/glsl_compiler.h"
#include "base/contain.h"
#include "base/file.h"
#include "base/quote.h"
#include "pintle/version.h"

namespace pintle::vulkan {
namespace {

const Result<std::unique_ptr<GlslCompiler>>& compiler() {
  static const auto& found = *new auto(base::contain("looking for a GLSL compiler", [] {
    auto opened = open_shaderc();
    return opened ? std::move(opened) : find_glsl_program();
  }));
  return found;
}

}  // namespace

bool can_compile_glsl() { return compiler().has_value(); }

Result<std::vector<std::byte>> compile_glsl(std::string_view name, std::span<const std::byte> source,
                                            const Entry& entry) {
  if (!compiler()) return compiler().error();
  GlslCompiler& glsl = **compiler();
  const GlslSource unit{fmt::format("{}.comp", base::is_identifier(name) ? name : "kernel"),
                        base::text_in(source),
                        {{"PINTLE_ENTRY_" + entry.name, "1"},
                         {"PINTLE_GROUP_X", std::to_string(entry.group_size.x)},
                         {"PINTLE_GROUP_Y", std::to_string(entry.group_size.y)},
                         {"PINTLE_GROUP_Z", std::to_string(entry.group_size.z)}}};
  PINTLE_ASSIGN(identity, glsl.identity());
  std::string all = fmt::format("pintle {} {}\n", version, identity);
  for (const auto& [macro, value] : unit.macros) all += fmt::format("{}={}\n", macro, value);
  all += unit.text;
  auto code = cached(base::sha256(base::bytes_in(all)), ".spv", [&] { return glsl.compile(unit); });
  if (code || code.error().code() != Errc::build_failed) return code;
  return Error(Errc::build_failed, fmt::format("Entry {} of [Program {}] does not compile:\n{}",
                                               base::quote(entry.name), base::quote(name), code.error().message()));
}

}  // namespace pintle::vulkan
