// NVIDIA's PTX, which every driver compiles for its own GPU.
#include "cli/compilers/gpu_clang.h"

namespace pintle::cli {

Result<Code> compile_ptx(const io::PackSource& source, std::string_view target) {
  return compile_with_gpu_prelude(source, {"-target", "nvptx64-nvidia-cuda", "-march=" + std::string(target), "-S"});
}

}  // namespace pintle::cli
