#include <fmt/format.h>

#include "backends/vulkan/glsl_compiler.h"
#include "vendor/shaderc/functions.h"

namespace pintle::vulkan {
namespace {

using vendor::shaderc::Functions;
namespace shaderc = vendor::shaderc;

class Shaderc final : public GlslCompiler {
 public:
  explicit Shaderc(Functions library) : library_(std::move(library)) {}

  Result<std::string> identity() override {
    unsigned version = 0;
    unsigned revision = 0;
    library_.get_spv_version(&version, &revision);
    return fmt::format("{} {} {}", library_.library.name(), version, revision);
  }

  Result<std::vector<std::byte>> compile(const GlslSource& source) override {
    const std::unique_ptr<shaderc::Compiler, void (*)(shaderc::Compiler*)> compiler(library_.compiler_initialize(),
                                                                                    library_.compiler_release);
    const std::unique_ptr<shaderc::Options, void (*)(shaderc::Options*)> options(library_.compile_options_initialize(),
                                                                                 library_.compile_options_release);
    if (compiler == nullptr || options == nullptr)
      return Error(Errc::out_of_memory, "The GLSL compiler cannot be initialised.");
    for (const auto& [name, value] : source.macros) {
      library_.compile_options_add_macro_definition(options.get(), name.data(), name.size(), value.data(),
                                                    value.size());
    }
    library_.compile_options_set_target_env(options.get(), shaderc::target_vulkan, shaderc::version_vulkan_1_2);
    library_.compile_options_set_target_spirv(options.get(), shaderc::spirv_1_5);
    const std::unique_ptr<shaderc::Output, void (*)(shaderc::Output*)> output(
        library_.compile_into_spv(compiler.get(), source.text.data(), source.text.size(), shaderc::compute_shader,
                                  source.file.c_str(), "main", options.get()),
        library_.result_release);
    if (output == nullptr) return Error(Errc::out_of_memory, "The GLSL compiler has no memory.");
    if (library_.result_get_compilation_status(output.get()) != shaderc::status_success)
      return Error(Errc::build_failed, library_.result_get_error_message(output.get()));
    const auto* const bytes = reinterpret_cast<const std::byte*>(library_.result_get_bytes(output.get()));
    return std::vector(bytes, bytes + library_.result_get_length(output.get()));
  }

 private:
  Functions library_;
};

}  // namespace

Result<std::unique_ptr<GlslCompiler>> open_shaderc() {
  PINTLE_ASSIGN(library, Functions::open());
  return std::unique_ptr<GlslCompiler>(std::make_unique<Shaderc>(std::move(library)));
}

}  // namespace pintle::vulkan
