// From CUDA C to PTX, by the run-time compiler.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "backends/cuda/program.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/quote.h"
#include "kit/c_literal.h"
#include "kit/code_cache.h"
#include "kit/define_lines.h"
#include "pintle/version.h"

namespace pintle::cuda {
namespace {

using backend::ProgramImage;
using vendor::cuda::CompilerInput;

constexpr std::array<std::string_view, 4> languages{"c++11", "c++14", "c++17", "c++20"};

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
Result<std::vector<std::string>> options_of(const ProgramImage& image, const FoundDevice& found) {
  const std::string_view language = image.source.language.empty() ? "c++17" : image.source.language;
  if (std::ranges::find(languages, language) == languages.end()) {
    return Error(Errc::unsupported, fmt::format("Language {} of {} is none of the format cuda_c ({}).",
                                                base::quote(language), name_of(image), fmt::join(languages, ", ")));
  }
  PINTLE_ASSIGN(architecture, architecture_for(found));
  std::vector<std::string> options{fmt::format("--gpu-architecture=compute_{}", architecture),
                                   fmt::format("--std={}", language), "--fmad=false"};
  for (const std::string& folder : image.source.include_folders)
    options.push_back(fmt::format("--include-path={}", folder));
  return options;
}

Result<std::string> build(const ProgramImage& image, const FoundDevice& found, const CompilerInput& input) {
  auto ptx = compiler()->compile(input);
  if (ptx || ptx.error().code() != Errc::build_failed) return ptx;
  return Error(Errc::build_failed,
               fmt::format("{} does not compile on [{}]:\n{}", name_of(image), found.info.id, ptx.error().message()))
      .with_vendor(*ptx.error().vendor());
}

Result<base::Digest> key_of(const CompilerInput& input) {
  PINTLE_ASSIGN(identity, compiler()->identity());
  const std::string all =
      fmt::format("pintle {}\n{}\n{}\n{}", version, identity, fmt::join(input.options, "\n"), input.text);
  return base::sha256(base::bytes_in(all));
}

}  // namespace

std::string name_of(const ProgramImage& image) { return fmt::format("[Program {}]", base::quote(image.name)); }

Result<std::string> compile(const ProgramImage& image, const FoundDevice& found) {
  if (!compiler()) return Error(Errc::unsupported, std::string(compiler().error().message()));
  PINTLE_ASSIGN(lines, kit::define_lines(image, &kit::c_literal));
  PINTLE_ASSIGN(options, options_of(image, found));
  const CompilerInput input{lines + std::string(base::text_in(image.code)),
                            fmt::format("{}.cu", image.name.empty() ? "kernel" : image.name), std::move(options)};
  const bool may_include = input.text.find("include") != std::string::npos;  // a file that may change
  if (may_include) return build(image, found, input);
  PINTLE_ASSIGN(key, key_of(input));
  PINTLE_ASSIGN(cache, kit::CodeCache::of_settings());
  PINTLE_ASSIGN(code, cache.obtain_bytes(key, ".ptx", [&]() -> Result<std::vector<std::byte>> {
    PINTLE_ASSIGN(ptx, build(image, found, input));
    const auto bytes = base::bytes_in(ptx);
    return std::vector(bytes.begin(), bytes.end());
  }));
  return std::string(base::text_in(code));
}

}  // namespace pintle::cuda
