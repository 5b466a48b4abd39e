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

/// Compiles sources of one language to one format.
struct Compiler {
  io::Language language;
  std::string_view format;
  std::string_view target;  ///< What it builds for; empty = any.
  /// `unavailable` when the program that compiles is not found, `unsupported` when the source asks for what the format
  /// does not have, `build_failed` with all that the compiler said.
  Result<Code> (*compile)(const io::PackSource& source, std::string_view target);
};

/// All, in the order in which their variants stand in a pack.
[[nodiscard]] std::span<const Compiler> compilers();
/// "built, never run" for formats that no device of this release executes; empty for the others.
[[nodiscard]] std::string_view note_on(std::string_view format) noexcept;

/// The source as it is.
[[nodiscard]] Result<Code> keep_source(const io::PackSource& source, std::string_view target);
/// OpenCL C to a shared object: loops over a group's items, by the C compiler of the machine.
[[nodiscard]] Result<Code> compile_item_loops(const io::PackSource& source, std::string_view target);
/// OpenCL C to SPIR-V, by clang.
[[nodiscard]] Result<Code> compile_opencl_spirv(const io::PackSource& source, std::string_view target);
/// OpenCL C to the text of PTX, by clang.
[[nodiscard]] Result<Code> compile_ptx(const io::PackSource& source, std::string_view target);
/// OpenCL C to a code object of an AMD GPU, by clang and lld.
[[nodiscard]] Result<Code> compile_amdgcn(const io::PackSource& source, std::string_view target);
/// GLSL to SPIR-V modules back to back, one for each entry, by glslc.
[[nodiscard]] Result<Code> compile_glsl(const io::PackSource& source, std::string_view target);
/// HLSL to SPIR-V modules back to back, one for each entry, by clang.
[[nodiscard]] Result<Code> compile_hlsl(const io::PackSource& source, std::string_view target);

}  // namespace pintle::cli
