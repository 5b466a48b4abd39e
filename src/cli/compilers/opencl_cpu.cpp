// OpenCL C as machine code for processors, by clang with our plug-in.
#include <algorithm>
#include <utility>

#include "cli/compilers/compiler.h"
#include "opencl_c/compile.h"

namespace pintle::cli {

Result<Made> compile_opencl_cpu(const io::PackSource& source, std::string_view target) {
  PINTLE_ASSIGN(toolchain, opencl_c::find_toolchain());
  const auto level = std::ranges::find(opencl_c::levels(), target, &opencl_c::Level::target);
  if (level == opencl_c::levels().end())
    return Error(Errc::unsupported, "OpenCL C becomes no code for this processor.");
  PINTLE_ASSIGN(compiled, opencl_c::compile(
                              toolchain, {source.file, source.text, source.entries, {}, {}, source.version}, *level));
  Made made{std::move(compiled.code), {}};
  for (opencl_c::Refusal& refusal : compiled.refusals)
    made.left_out.push_back({std::move(refusal.entry), std::move(refusal.reason)});
  return made;
}

}  // namespace pintle::cli
