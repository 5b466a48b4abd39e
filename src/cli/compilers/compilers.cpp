// The list of compilers. A new one needs a file, its function in compiler.h, and a row here.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/platform.h"
#include "cli/compilers/compiler.h"

namespace pintle::cli {
namespace {

using enum io::Language;

/// No driver that this release was tested with takes these formats.
constexpr std::array<std::string_view, 2> never_run{"ptx", "amdgcn"};

/// A compiler that leaves nothing out.
template <auto compile>
Result<Made> whole(const io::PackSource& source, std::string_view target) {
  PINTLE_ASSIGN(code, compile(source, target));
  return Made{std::move(code), {}};
}

}  // namespace

std::span<const Compiler> compilers() {
  static const std::string& machine = *new std::string(base::machine());
  static const std::array rows{
      Compiler{c, "c", "", whole<keep_source>},
      Compiler{opencl_c, "so", "x86_64-linux", compile_opencl_cpu},
      Compiler{opencl_c, "so", "x86_64-v3-linux", compile_opencl_cpu},
      Compiler{opencl_c, "so", "x86_64-v4-linux", compile_opencl_cpu},
      Compiler{opencl_c, "so", "aarch64-linux", compile_opencl_cpu},
      Compiler{opencl_c, "opencl_c", "", whole<keep_source>},
      Compiler{opencl_c, "spirv_opencl", "", whole<compile_opencl_spirv>},
      Compiler{opencl_c, "ptx", "sm_90", compile_ptx},
      Compiler{opencl_c, "amdgcn", "gfx90a", compile_amdgcn},
      Compiler{opencl_c, "amdgcn", "gfx942", compile_amdgcn},
      Compiler{opencl_c, "amdgcn", "gfx1100", compile_amdgcn},
      Compiler{glsl, "spirv", "", whole<compile_glsl>},
      Compiler{glsl, "glsl", "", whole<keep_source>},
      Compiler{hlsl, "spirv", "", whole<compile_hlsl>},
      Compiler{slang, "so", machine, whole<compile_slang_so>},
      Compiler{slang, "spirv", "", whole<compile_slang_spirv>},
      Compiler{slang, "wgsl", "", whole<compile_slang_wgsl>},
      Compiler{wgsl, "wgsl", "", whole<keep_source>},
      Compiler{stablehlo, "stablehlo", "", whole<keep_source>},
  };
  return rows;
}

std::string_view note_on(std::string_view format) noexcept {
  return std::ranges::find(never_run, format) == never_run.end() ? std::string_view() : "built, never run";
}

Result<Code> keep_source(const io::PackSource& source, std::string_view) {
  const auto bytes = base::bytes_in(source.text);
  return Code(bytes.begin(), bytes.end());
}

}  // namespace pintle::cli
