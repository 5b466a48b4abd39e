// From the text of a source to its kernels, by a clang that makes LLVM's text of it.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/compilation.h"
#include "base/file.h"
#include "opencl_c/clang.h"
#include "opencl_c/kernels.h"
#include "opencl_c/options.h"

namespace pintle::opencl_c {

Result<std::vector<OpenClKernel>> kernels_of(const std::string& file, const std::string& text,
                                             std::string_view language) {
  constexpr unsigned least_version = 15;
  PINTLE_TRY(check_language(language));
  PINTLE_ASSIGN(clang, find_clang(least_version));
  const auto compile = [&](const std::vector<std::string>& macros) {
    std::vector<std::string> command{clang,
                                     "-x",
                                     "cl",
                                     fmt::format("-cl-std={}", language.empty() ? "CL2.0" : language),
                                     "-target",
                                     "spir64-unknown-unknown",
                                     "-S",
                                     "-emit-llvm",
                                     "-O1",
                                     "-g",  // says the members of structs
                                     "-cl-kernel-arg-info",
                                     "-fno-crash-diagnostics"};
    command.insert(command.end(), lenient.begin(), lenient.end());
    command.insert(command.end(), macros.begin(), macros.end());
    return base::run_compiler({file, text, std::move(command)});
  };
  PINTLE_ASSIGN(code, base::compile_with_constants(compile));
  return kernels_in_llvm(base::text_in(code));
}

}  // namespace pintle::opencl_c
