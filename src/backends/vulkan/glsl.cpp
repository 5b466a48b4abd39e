#include "backends/vulkan/glsl.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "backends/vulkan/cached.h"
#include "base/contain.h"
#include "base/file.h"
#include "base/quote.h"
#include "pintle/version.h"
#include "vendor/shaderc/functions.h"

namespace pintle::vulkan {
namespace {

namespace shaderc = vendor::shaderc;

const Result<shaderc::Functions>& library() {
  static const auto& opened = *new Result<shaderc::Functions>(
      base::contain("opening the GLSL compiler", [] { return shaderc::Functions::open(); }));
  return opened;
}

using Macros = std::vector<std::pair<std::string, std::string>>;

Macros macros_of(const Entry& entry) {
  return {{"PINTLE_ENTRY_" + entry.name, "1"},
          {"PINTLE_GROUP_X", std::to_string(entry.group_size.x)},
          {"PINTLE_GROUP_Y", std::to_string(entry.group_size.y)},
          {"PINTLE_GROUP_Z", std::to_string(entry.group_size.z)}};
}

/// What the result depends on, but the source.
std::string identity(const shaderc::Functions& compiler, const Macros& macros) {
  unsigned version = 0;
  unsigned revision = 0;
  compiler.get_spv_version(&version, &revision);
  std::string text = fmt::format("pintle {} glsl {} {} {}\n", version, compiler.library.name(), version, revision);
  for (const auto& [name, value] : macros) text += fmt::format("{}={}\n", name, value);
  return text;
}

Result<std::vector<std::byte>> compile(const shaderc::Functions& library, std::string_view name,
                                       std::string_view source, const Entry& entry, const Macros& macros) {
  const std::unique_ptr<shaderc::Compiler, void (*)(shaderc::Compiler*)> compiler(library.compiler_initialize(),
                                                                                  library.compiler_release);
  const std::unique_ptr<shaderc::Options, void (*)(shaderc::Options*)> options(library.compile_options_initialize(),
                                                                               library.compile_options_release);
  if (compiler == nullptr || options == nullptr)
    return Error(Errc::out_of_memory, "The GLSL compiler cannot be initialised.");
  for (const auto& [macro, value] : macros)
    library.compile_options_add_macro_definition(options.get(), macro.data(), macro.size(), value.data(), value.size());
  library.compile_options_set_target_env(options.get(), shaderc::target_vulkan, shaderc::version_vulkan_1_2);
  library.compile_options_set_target_spirv(options.get(), shaderc::spirv_1_5);
  const std::string file = fmt::format("{}.comp", name.empty() ? "kernel" : name);
  const std::unique_ptr<shaderc::Output, void (*)(shaderc::Output*)> output(
      library.compile_into_spv(compiler.get(), source.data(), source.size(), shaderc::compute_shader, file.c_str(), "main",
                               options.get()),
      library.result_release);
  if (output == nullptr) return Error(Errc::out_of_memory, "The GLSL compiler has no memory.");
  if (library.result_get_compilation_status(output.get()) != shaderc::status_success) {
    return Error(Errc::build_failed,
                 fmt::format("Entry {} of [Program {}] does not compile:\n{}", base::quote(entry.name),
                             base::quote(name), library.result_get_error_message(output.get())));
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(library.result_get_bytes(output.get()));
  return std::vector(bytes, bytes + library.result_get_length(output.get()));
}

}  // namespace

bool can_compile_glsl() { return library().has_value(); }

Result<std::vector<std::byte>> compile_glsl(std::string_view name, std::span<const std::byte> source,
                                            const Entry& entry) {
  const Result<shaderc::Functions>& compiler = library();
  if (!compiler) return compiler.error();
  const Macros macros = macros_of(entry);
  const std::string_view text = base::text_in(source);
  const std::string all = identity(*compiler, macros) + std::string(text);
  return cached(base::sha256(base::bytes_in(all)), ".spv",
                [&] { return compile(*compiler, name, text, entry, macros); });
}

}  // namespace pintle::vulkan
