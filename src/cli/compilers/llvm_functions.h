// The functions in LLVM's text, and which of them lack something.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/compilers/compiler.h"

namespace pintle::cli {

/// A module with the wanted kernels alone.
struct KeptKernels {
  std::string text;
  std::vector<LeftOut> left_out;
};

/// `text` with every function hidden but the kernels among `entries` that call nothing, themselves or by others, that
/// the module only declares. LLVM's own intrinsics are no calls.
[[nodiscard]] KeptKernels keep_kernels(std::string_view text, const std::vector<Entry>& entries);

/// "lgamma" of "_Z6lgammaf"; another name as it is.
[[nodiscard]] std::string unmangled(std::string_view symbol);

}  // namespace pintle::cli
