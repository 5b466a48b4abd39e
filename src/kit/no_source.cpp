#include "kit/no_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/quote.h"

namespace pintle::kit {
namespace {

/// What is given first; empty where nothing is.
std::string first_of(const backend::SourceOptions& source) {
  if (!source.macros.empty()) return fmt::format("macro {}", base::quote(source.macros[0].name));
  if (!source.include_folders.empty())
    return fmt::format("include folder {}", base::quote(source.include_folders[0], 4096));
  return source.language.empty() ? std::string() : fmt::format("language {}", base::quote(source.language));
}

}  // namespace

Result<void> refuse_source_options(const backend::ProgramImage& image) {
  const std::string first = first_of(image.source);
  if (first.empty()) return {};
  return Error(Errc::unsupported, fmt::format("[Program {}] takes no {}: the format {} is no source.",
                                              base::quote(image.name), first, image.format));
}

Result<void> refuse_options(const backend::ProgramImage& image) {
  PINTLE_TRY(refuse_source_options(image));
  const auto first = std::ranges::find(image.constants, false, &backend::Constant::is_side);
  if (first == image.constants.end()) return {};
  return Error(Errc::unsupported, fmt::format("[Program {}] takes no constant {}: the format {} is no source.",
                                              base::quote(image.name), base::quote(first->name), image.format));
}

}  // namespace pintle::kit
