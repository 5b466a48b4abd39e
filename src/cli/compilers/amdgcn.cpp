// Code objects of AMD's GPUs, one for each kind.
#include "cli/compilers/gpu_clang.h"

namespace pintle::cli {

Result<Code> compile_amdgcn(const io::PackSource& source, std::string_view target) {
  return compile_with_gpu_prelude(source, {"-target", "amdgcn-amd-amdhsa", "-mcpu=" + std::string(target)});
}

}  // namespace pintle::cli
