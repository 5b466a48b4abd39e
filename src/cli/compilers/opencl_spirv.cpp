// OpenCL C to SPIR-V, which clang writes itself from version 22 on.
#include "cli/compilers/compilation.h"
#include "opencl_c/clang.h"

namespace pintle::cli {

Result<Code> compile_opencl_spirv(const io::PackSource& source, std::string_view) {
  PINTLE_ASSIGN(clang, opencl_c::find_clang(22));
  return base::run_compiler(
      {source.file,
       source.text,
       {clang, "-c", "-target", "spirv64v1.2-unknown-unknown", "-x", "cl", opencl_standard(source), "-Xclang",
        "-finclude-default-header", "-O2", "-fno-crash-diagnostics"}});
}

}  // namespace pintle::cli
