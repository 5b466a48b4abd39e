// OpenCL C for the GPUs whose machine language clang writes itself: clang's own OpenCL front end, with built-in
// functions of ours and of libclc linked as bitcode.
#pragma once

#include <string>
#include <vector>

#include "cli/compilers/compiler.h"

namespace pintle::cli {

struct GpuTarget {
  std::string triple;
  std::string processor;               ///< clang's option: "-march=sm_90".
  std::vector<std::string> libraries;  ///< libclc's names of its bitcode, newest first.
  std::vector<std::string> options{};  ///< For the last step: "-S" for a text.
};

/// The kernels of the declared entries. A kernel that calls what is defined nowhere is left out, by the function's
/// name; `build_failed` where no kernel is left, and for all that clang refuses. `unavailable` without clang 19 or
/// libclc.
[[nodiscard]] Result<Made> compile_for_gpu(const io::PackSource& source, const GpuTarget& target);

}  // namespace pintle::cli
