// From CUDA C to PTX, by NVIDIA's run-time compiler.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/compile.h"
#include "backends/cuda/cuda_platform.h"
#include "base/opened_once.h"

namespace pintle::cuda {
namespace {

/// The compiler's table, opened at first use and never closed.
const Result<vendor::cuda::Compiler>& compiler() noexcept { return base::opened_once<vendor::cuda::Compiler>(); }

/// The best that the compiler makes code for and the device runs.
Result<int> architecture_for(const FoundDevice& found) {
  PINTLE_ASSIGN(known, compiler()->architectures());
  int best = 0;
  for (const int each : known) best = each <= found.capability ? std::max(best, each) : best;
  if (best != 0) return best;
  return Error(Errc::unsupported,
               fmt::format("CUDA's compiler ({}) makes code for none but ({}), and [{}] has ({}). Use an older one.",
                           compiler()->library.name(), fmt::join(known, ", "), found.info.id, found.capability));
}

/// No two operations become one: a kernel computes what the same source does on the cpu. fmaf() is still one.
Result<std::vector<std::string>> options_of(const backend::ProgramImage& image, const FoundDevice& found) {
  PINTLE_ASSIGN(language, language_of(image));
  PINTLE_ASSIGN(architecture, architecture_for(found));
  std::vector<std::string> options{fmt::format("--gpu-architecture=compute_{}", architecture),
                                   fmt::format("--std={}", language), "--fmad=false"};
  for (const std::string& folder : image.source.include_folders)
    options.push_back(fmt::format("--include-path={}", folder));
  return options;
}

}  // namespace

std::string CudaPlatform::compiler_absence() const {
  return compiler() ? "" : "There is no libnvrtc.so to compile with: CUDA's toolkit has it.";
}

Result<std::string> CudaPlatform::compile(const backend::ProgramImage& image, const FoundDevice& found) const {
  if (!compiler()) return Error(Errc::unsupported, std::string(compiler().error().message()));
  PINTLE_ASSIGN(options, options_of(image, found));
  PINTLE_ASSIGN(input, input_of(image, ".cu", std::move(options)));
  PINTLE_ASSIGN(identity, compiler()->identity());
  return build_once({image, found, input, std::move(identity), ".ptx"}, [&] { return compiler()->compile(input); });
}

}  // namespace pintle::cuda
