// The part of shaderc's C interface that is used: declared from its public documentation, opened at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dylib.h"
#include "pintle/error.h"

namespace pintle::vendor::shaderc {

struct Compiler;  // shaderc_compiler
struct Options;   // shaderc_compile_options
struct Output;    // shaderc_compilation_result

inline constexpr int compute_shader = 2;                                      // shaderc_compute_shader
inline constexpr int target_vulkan = 0;                                       // shaderc_target_env_vulkan
inline constexpr std::uint32_t version_vulkan_1_2 = (1u << 22) | (2u << 12);  // shaderc_env_version_vulkan_1_2
inline constexpr int spirv_1_5 = 0x010500;                                    // shaderc_spirv_version_1_5
inline constexpr int status_success = 0;                                      // shaderc_compilation_status_success

/// The library's functions; `library` keeps them valid.
struct Functions {
  base::Dylib library;
  Compiler* (*compiler_initialize)() = nullptr;
  void (*compiler_release)(Compiler*) = nullptr;
  Options* (*compile_options_initialize)() = nullptr;
  void (*compile_options_release)(Options*) = nullptr;
  void (*compile_options_add_macro_definition)(Options*, const char*, std::size_t, const char*, std::size_t) = nullptr;
  void (*compile_options_set_target_env)(Options*, int, std::uint32_t) = nullptr;
  void (*compile_options_set_target_spirv)(Options*, int) = nullptr;
  Output* (*compile_into_spv)(const Compiler*, const char*, std::size_t, int, const char*, const char*,
                              const Options*) = nullptr;
  void (*result_release)(Output*) = nullptr;
  int (*result_get_compilation_status)(const Output*) = nullptr;
  const char* (*result_get_error_message)(const Output*) = nullptr;
  const char* (*result_get_bytes)(const Output*) = nullptr;
  std::size_t (*result_get_length)(const Output*) = nullptr;
  void (*get_spv_version)(unsigned int*, unsigned int*) = nullptr;

  /// Compiles a compute shader to SPIR-V 1.5 for Vulkan 1.2. `build_failed` has only the compiler's words.
  [[nodiscard]] Result<std::vector<std::byte>> compile(
      std::string_view text, const char* file, std::span<const std::pair<std::string, std::string>> macros) const {
    const std::unique_ptr<Compiler, void (*)(Compiler*)> compiler(compiler_initialize(), compiler_release);
    const std::unique_ptr<Options, void (*)(Options*)> options(compile_options_initialize(), compile_options_release);
    if (compiler == nullptr || options == nullptr)
      return Error(Errc::out_of_memory, "The GLSL compiler has no memory.");
    for (const auto& [name, value] : macros)
      compile_options_add_macro_definition(options.get(), name.data(), name.size(), value.data(), value.size());
    compile_options_set_target_env(options.get(), target_vulkan, version_vulkan_1_2);
    compile_options_set_target_spirv(options.get(), spirv_1_5);
    const std::unique_ptr<Output, void (*)(Output*)> output(
        compile_into_spv(compiler.get(), text.data(), text.size(), compute_shader, file, "main", options.get()),
        result_release);
    if (output == nullptr) return Error(Errc::out_of_memory, "The GLSL compiler has no memory.");
    if (result_get_compilation_status(output.get()) != status_success)
      return Error(Errc::build_failed, result_get_error_message(output.get()));
    const auto* const bytes = reinterpret_cast<const std::byte*>(result_get_bytes(output.get()));
    return std::vector(bytes, bytes + result_get_length(output.get()));
  }

  /// `unavailable` has the loader's words.
  [[nodiscard]] static Result<Functions> open() {
    PINTLE_ASSIGN(opened, base::Dylib::open("libshaderc.so.1"));
    Functions all{.library = std::move(opened)};
    PINTLE_TRY(all.find("shaderc_compiler_initialize", all.compiler_initialize));
    PINTLE_TRY(all.find("shaderc_compiler_release", all.compiler_release));
    PINTLE_TRY(all.find("shaderc_compile_options_initialize", all.compile_options_initialize));
    PINTLE_TRY(all.find("shaderc_compile_options_release", all.compile_options_release));
    PINTLE_TRY(all.find("shaderc_compile_options_add_macro_definition", all.compile_options_add_macro_definition));
    PINTLE_TRY(all.find("shaderc_compile_options_set_target_env", all.compile_options_set_target_env));
    PINTLE_TRY(all.find("shaderc_compile_options_set_target_spirv", all.compile_options_set_target_spirv));
    PINTLE_TRY(all.find("shaderc_compile_into_spv", all.compile_into_spv));
    PINTLE_TRY(all.find("shaderc_result_release", all.result_release));
    PINTLE_TRY(all.find("shaderc_result_get_compilation_status", all.result_get_compilation_status));
    PINTLE_TRY(all.find("shaderc_result_get_error_message", all.result_get_error_message));
    PINTLE_TRY(all.find("shaderc_result_get_bytes", all.result_get_bytes));
    PINTLE_TRY(all.find("shaderc_result_get_length", all.result_get_length));
    PINTLE_TRY(all.find("shaderc_get_spv_version", all.get_spv_version));
    return all;
  }

 private:
  template <class Function>
  [[nodiscard]] Result<void> find(const char* name, Function*& place) const {
    PINTLE_ASSIGN(found, library.function<Function>(name));
    place = found;
    return {};
  }
};

}  // namespace pintle::vendor::shaderc
