// Source files of a program.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/contain.h"
#include "base/file.h"
#include "base/quote.h"
#include "io/pack_recipe.h"

namespace pintle::io {
namespace {

constexpr std::uint64_t longest_source = 64 << 20;

constexpr std::array<std::pair<std::string_view, Language>, 8> endings{{{".c", Language::c},
                                                                        {".cl", Language::opencl_c},
                                                                        {".comp", Language::glsl},
                                                                        {".glsl", Language::glsl},
                                                                        {".hlsl", Language::hlsl},
                                                                        {".slang", Language::slang},
                                                                        {".wgsl", Language::wgsl},
                                                                        {".mlir", Language::stablehlo}}};

}  // namespace

std::optional<Language> language_of(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  const auto* const found = std::ranges::find(endings, ending, &std::pair<std::string_view, Language>::first);
  return found == endings.end() ? std::nullopt : std::optional(found->second);
}

std::string_view source_format(Language language) noexcept {
  switch (language) {
    case Language::c: return "c";
    case Language::opencl_c: return "opencl_c";
    case Language::glsl: return "glsl";
    case Language::wgsl: return "wgsl";
    case Language::stablehlo: return "stablehlo";
    case Language::hlsl:
    case Language::slang: return {};
  }
  return {};
}

bool PackSource::becomes(std::string_view format) const {
  return formats.empty() || std::ranges::find(formats, format) != formats.end();
}

Result<PackSource> read_source(const std::filesystem::path& file) {
  return base::contain("reading a source", [&]() -> Result<PackSource> {
    const auto language = language_of(file);
    if (!language) {
      return Error(Errc::invalid_argument,
                   fmt::format("Source {} does not end with .c, .cl, .comp, .glsl, .hlsl, .slang, .wgsl or .mlir.",
                               base::quote(file.string(), 4096)));
    }
    PINTLE_ASSIGN(bytes, base::read_regular_file(file, longest_source));
    return PackSource{file.filename().string(), *language, {}, {}, std::string(base::text_in(bytes))};
  });
}

}  // namespace pintle::io
