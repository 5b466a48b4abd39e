// The functions that make one variant of a pack out of a source.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/pack_recipe.h"
#include "pintle/error.h"

namespace pintle::cli {

using Code = std::vector<std::byte>;

/// A declared entry that the code does not have.
struct LeftOut {
  std::string entry;
  std::string reason;  ///< Follows the kernel's name: "calls printf".
};

/// What a compiler makes. A kernel that the format cannot have costs only itself.
struct Made {
  Code code;
  std::vector<LeftOut> left_out;
};

/// Compiles sources of one language to one format.
struct Compiler {
  io::Language language;
  std::string_view format;
  std::string_view target;  ///< What it builds for; empty = any.
  /// `unavailable` when the program that compiles is not found, `unsupported` when the source asks for what the format
  /// does not have, `build_failed` with all that the compiler said.
  Result<Made> (*compile)(const io::PackSource& source, std::string_view target);
};

/// All, in the order in which their variants stand in a pack.
[[nodiscard]] std::span<const Compiler> compilers();
/// "built, never run" for formats that no device of this release executes; empty for the others.
[[nodiscard]] std::string_view note_on(std::string_view format) noexcept;

/// The source as it is.
[[nodiscard]] Result<Code> keep_source(const io::PackSource& source, std::string_view target);
/// OpenCL C to a shared object whose functions run work-groups, by clang 19 with our plug-in.
[[nodiscard]] Result<Made> compile_opencl_cpu(const io::PackSource& source, std::string_view target);
/// OpenCL C to SPIR-V, by clang.
[[nodiscard]] Result<Code> compile_opencl_spirv(const io::PackSource& source, std::string_view target);
/// OpenCL C to the text of PTX, by clang.
[[nodiscard]] Result<Made> compile_ptx(const io::PackSource& source, std::string_view target);
/// OpenCL C to a code object of an AMD GPU, by clang and lld.
[[nodiscard]] Result<Made> compile_amdgcn(const io::PackSource& source, std::string_view target);
/// GLSL to SPIR-V modules back to back, one for each entry, by glslc.
[[nodiscard]] Result<Code> compile_glsl(const io::PackSource& source, std::string_view target);
/// HLSL to SPIR-V modules back to back, one for each entry, by clang.
[[nodiscard]] Result<Code> compile_hlsl(const io::PackSource& source, std::string_view target);

/// Slang to a shared object: its CUDA C on threads of the processor, by the C++ compiler of the machine.
[[nodiscard]] Result<Code> compile_slang_so(const io::PackSource& source, std::string_view target);
/// Slang to SPIR-V modules back to back, one for each entry.
[[nodiscard]] Result<Code> compile_slang_spirv(const io::PackSource& source, std::string_view target);
/// Slang to one text of WGSL with all entries.
[[nodiscard]] Result<Code> compile_slang_wgsl(const io::PackSource& source, std::string_view target);

}  // namespace pintle::cli
