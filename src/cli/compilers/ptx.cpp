// NVIDIA's PTX, which every driver compiles for its own GPU.
#include "cli/compilers/gpu_clang.h"

namespace pintle::cli {

Result<Made> compile_ptx(const io::PackSource& source, std::string_view target) {
  return compile_for_gpu(source,
                         {"nvptx64-nvidia-cuda", "-march=" + std::string(target), {"nvptx64--nvidiacl.bc"}, {"-S"}});
}

}  // namespace pintle::cli
