// The entries that the code of a program says by itself, where none are declared.
#pragma once

#include <string>
#include <vector>

#include "cli/compilers/compiler.h"

namespace pintle::cli {

/// SPIR-V in a file of its own.
struct ModuleFile {
  std::string file;    ///< Its name alone: "blur.spv".
  std::string format;  ///< spirv, or spirv_opencl where its kernels are OpenCL's.
  Code code;
};

/// A file's name without its endings, as the name of a program or an entry: "a/blur-3x3.comp.spv" is blur_3x3.
[[nodiscard]] std::string name_after(const std::string& file);

[[nodiscard]] bool is_module_file(const std::string& file);
/// Reads a .spv file. `invalid_argument` where it is no SPIR-V, or has no entry point that computes.
[[nodiscard]] Result<ModuleFile> read_module_file(const std::string& file);

/// The entries of OpenCL C, or else of the first shader in GLSL, HLSL or SPIR-V. An entry that no signature can have is
/// left out, with the reason in `left_out`; where no entry is left, the first of these reasons is the error.
[[nodiscard]] Result<std::vector<Entry>> infer_entries(const std::vector<io::PackSource>& sources,
                                                       const std::vector<ModuleFile>& modules,
                                                       std::vector<Error>& left_out);

}  // namespace pintle::cli
