// From HIP C to a code object, by AMD's run-time compiler.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/compile.h"
#include "backends/cuda/hip_platform.h"
#include "base/file.h"
#include "base/in_child.h"
#include "base/opened_once.h"
#include "vendor/hip/hiprtc.h"

namespace pintle::hip {
namespace {

using vendor::cuda::CompilerInput;

constexpr std::string_view advice =
    "It may not know the architecture, or the source breaks it; a newer one may compile it.";

/// The compiler's table, opened at first use and never closed.
const Result<vendor::hip::Compiler>& compiler() noexcept { return base::opened_once<vendor::hip::Compiler>(); }

/// No two operations become one: a kernel computes what the same source does on the cpu. fmaf() is still one.
Result<std::vector<std::string>> options_of(const backend::ProgramImage& image, const FoundDevice& found) {
  if (found.architecture.empty())
    return Error(Errc::unsupported,
                 fmt::format("The driver does not say what architecture [{}] has, so nothing is compiled for it.",
                             found.info.id));
  PINTLE_ASSIGN(language, cuda::language_of(image));
  std::vector<std::string> options{fmt::format("--offload-arch={}", found.architecture),
                                   fmt::format("-std={}", language), "-ffp-contract=off"};
  for (const std::string& folder : image.source.include_folders) options.push_back(fmt::format("-I{}", folder));
  return options;
}

/// hiprtc tells one version for many; the runtime's tells them apart.
Result<std::string> identity_of(const FoundDevice& found) {
  PINTLE_ASSIGN(identity, compiler()->identity());
  return fmt::format("{}, {}", identity, found.info.driver);
}

Result<std::string> build(const CompilerInput& input) {
  PINTLE_ASSIGN(code, compiler()->compile(input));
  return std::string(base::text_in(code));
}

}  // namespace

std::string HipPlatform::compiler_absence() const {
  return compiler() ? "" : "There is no libhiprtc.so to compile with: AMD's ROCm has it.";
}

/// A compiler of the time when it lay in the runtime ends the process for architectures that are newer than it: 5.2.3
/// for gfx1100 and gfx942.
Result<std::string> HipPlatform::compile(const backend::ProgramImage& image, const FoundDevice& found) const {
  if (!compiler()) return Error(Errc::unsupported, std::string(compiler().error().message()));
  PINTLE_ASSIGN(options, options_of(image, found));
  PINTLE_ASSIGN(input, cuda::input_of(image, ".hip", std::move(options)));
  PINTLE_ASSIGN(identity, identity_of(found));
  const bool may_crash = compiler()->library.name().contains("libamdhip64");
  return cuda::build_once({image, found, input, identity, ".hsaco"}, [&]() -> Result<std::string> {
    return may_crash ? base::in_child(compiler()->library.name(), advice, [&] { return build(input); }) : build(input);
  });
}

}  // namespace pintle::hip
