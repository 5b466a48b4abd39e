#include "cli/compilers/gpu_clang.h"

#include "cli/compilers/clang.h"
#include "cli/compilers/compilation.h"
#include "cli/compilers/preludes.h"

namespace pintle::cli {

Result<Code> compile_with_gpu_prelude(const io::PackSource& source, std::initializer_list<std::string> options) {
  PINTLE_ASSIGN(clang, find_clang(19));
  Compilation compilation{
      source.file,
      behind_prelude(gpu_prelude, source.file, source.text),
      {clang, "-x", "cl", "-cl-std=CL2.0", "-O3", "-nogpulib", "-cl-no-stdinc", "-fno-crash-diagnostics"}};
  compilation.command.insert(compilation.command.end(), options);
  return run(compilation);
}

}  // namespace pintle::cli
