// Code objects of AMD's GPUs, one for each kind.
#include "cli/compilers/gpu_clang.h"

namespace pintle::cli {

Result<Made> compile_amdgcn(const io::PackSource& source, std::string_view target) {
  return compile_for_gpu(
      source, {"amdgcn-amd-amdhsa", "-mcpu=" + std::string(target), {"amdgcn-amd-amdhsa.bc", "amdgcn--amdhsa.bc"}});
}

}  // namespace pintle::cli
