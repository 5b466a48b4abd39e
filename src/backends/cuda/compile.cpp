#include "backends/cuda/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

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

base::Digest key_of(const CompilerInput& input, std::string_view identity) {
  const std::string all =
      fmt::format("pintle {}\n{}\n{}\n{}", version, identity, fmt::join(input.options, "\n"), input.text);
  return base::sha256(base::bytes_in(all));
}

/// The compiler's words with the program's name and the device's.
Error in_words(const Building& building, const Error& error) {
  if (error.code() != Errc::build_failed) return error;
  Error named(Errc::build_failed, fmt::format("{} does not compile on [{}]:\n{}", name_of(building.image),
                                              building.found.info.id, error.message()));
  return error.vendor() ? std::move(named).with_vendor(*error.vendor()) : named;
}

}  // namespace

std::string name_of(const ProgramImage& image) { return fmt::format("[Program {}]", base::quote(image.name)); }

Result<std::string> language_of(const ProgramImage& image) {
  const std::string_view language = image.source.language.empty() ? "c++17" : image.source.language;
  if (std::ranges::find(languages, language) != languages.end()) return std::string(language);
  return Error(Errc::unsupported, fmt::format("Language {} of {} is none of the format {} ({}).", base::quote(language),
                                              name_of(image), image.format, fmt::join(languages, ", ")));
}

Result<CompilerInput> input_of(const ProgramImage& image, std::string_view ending, std::vector<std::string> options) {
  PINTLE_ASSIGN(lines, kit::define_lines(image, &kit::c_literal));
  return CompilerInput{lines + std::string(base::text_in(image.code)),
                       fmt::format("{}{}", image.name.empty() ? "kernel" : image.name, ending), std::move(options)};
}

Result<std::string> build_once(const Building& building, const std::function<Result<std::string>()>& build) {
  const auto built = [&]() -> Result<std::string> {
    auto code = build();
    return code ? std::move(code) : Result<std::string>(in_words(building, code.error()));
  };
  const bool may_include = building.input.text.find("include") != std::string::npos;  // a file that may change
  if (may_include) return built();
  PINTLE_ASSIGN(cache, kit::CodeCache::of_settings());
  PINTLE_ASSIGN(code, cache.obtain_bytes(key_of(building.input, building.identity), building.ending,
                                         [&]() -> Result<std::vector<std::byte>> {
                                           PINTLE_ASSIGN(made, built());
                                           const auto bytes = base::bytes_in(made);
                                           return std::vector(bytes.begin(), bytes.end());
                                         }));
  return std::string(base::text_in(code));
}

}  // namespace pintle::cuda
