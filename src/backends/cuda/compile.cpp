#include "backends/cuda/compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/file.h"
#include "base/quote.h"
#include "kit/c_literal.h"
#include "kit/code_cache.h"
#include "kit/define_lines.h"
#include "kit/program_name.h"

namespace pintle::cuda {
namespace {

using vendor::cuda::CompilerInput;

constexpr std::array<std::string_view, 4> languages{"c++11", "c++14", "c++17", "c++20"};

Result<std::vector<std::string>> options_of(const Compilation& wanted) {
  const backend::ProgramImage& image = wanted.image;
  const std::string_view language = image.source.language.empty() ? "c++17" : image.source.language;
  if (std::ranges::find(languages, language) == languages.end())
    return Error(Errc::unsupported,
                 fmt::format("Language {} of {} is none of the format {} ({}).", base::quote(language),
                             kit::name_of(image), image.format, fmt::join(languages, ", ")));
  std::vector<std::string> options = wanted.options;
  options.push_back(fmt::format("{}{}", wanted.language_option, language));
  for (const std::string& folder : image.source.include_folders)
    options.push_back(fmt::format("{}{}", wanted.folder_option, folder));
  return options;
}

/// The compiler's words with the program's name and the device's.
Error in_words(const Compilation& wanted, const Error& error) {
  if (error.code() != Errc::build_failed) return error;
  Error named(Errc::build_failed, fmt::format("{} does not compile on [{}]:\n{}", kit::name_of(wanted.image),
                                              wanted.found.info.id, error.message()));
  return error.vendor() ? std::move(named).with_vendor(*error.vendor()) : named;
}

}  // namespace

Result<std::string> compile_once(const Compilation& wanted,
                                 const std::function<Result<std::string>(const CompilerInput&)>& run) {
  const backend::ProgramImage& image = wanted.image;
  PINTLE_ASSIGN(options, options_of(wanted));
  PINTLE_ASSIGN(lines, kit::define_lines(image, &kit::c_literal));
  const std::string file = fmt::format("{}{}", image.name.empty() ? "kernel" : image.name, wanted.source_ending);
  const CompilerInput input{lines + std::string(base::text_in(image.code)), file, std::move(options)};
  const auto built = [&]() -> Result<std::vector<std::byte>> {
    const auto made = run(input);
    if (!made) return in_words(wanted, made.error());
    const auto bytes = base::bytes_in(*made);
    return std::vector(bytes.begin(), bytes.end());
  };
  const bool may_include = input.text.contains("include");  // a file that may change
  const std::string recipe = fmt::format("{}\n{}\n{}", wanted.identity, fmt::join(input.options, "\n"), input.text);
  PINTLE_ASSIGN(code, may_include ? built() : kit::CodeCache::bytes_of(recipe, wanted.ending, built));
  return std::string(base::text_in(code));
}

}  // namespace pintle::cuda
