#include "io/pack_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/parse.h"
#include "base/quote.h"
#include "io/pack_includes.h"

namespace pintle::io {
namespace {

constexpr std::array<std::string_view, 5> versions_of_opencl_c{"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"};
constexpr std::array<std::string_view, 10> versions_of_c{"c99",   "c11",   "c17",   "c23",   "c2x",
                                                         "gnu99", "gnu11", "gnu17", "gnu23", "gnu2x"};
constexpr std::array<std::string_view, 9> versions_of_glsl{"310", "320", "400", "410", "420",
                                                           "430", "440", "450", "460"};

std::string_view without_profile(std::string_view version) {
  for (const std::string_view profile : {"core", "es"}) {
    if (version.ends_with(profile)) return version.substr(0, version.size() - profile.size());
  }
  return version;
}

/// "460core" as a shader says it: "460 core".
std::string as_directive(std::string_view version) {
  const std::string_view number = without_profile(version);
  const std::string_view profile = version.substr(number.size());
  return fmt::format("#version {}{}{}\n", number, profile.empty() ? "" : " ", profile);
}

/// Where the line behind `#version` begins; 0 where the shader has none.
std::size_t behind_version(std::string_view text) {
  const auto at = text.find("#version");
  if (at == std::string_view::npos || (at != 0 && text[at - 1] != '\n')) return 0;
  return std::min(text.find('\n', at), text.size() - 1) + 1;
}

std::string definitions(const SourceOptions& options) {
  std::string text;
  for (const auto& [name, value] : options.macros)
    text += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", name, value);
  return text;
}

/// A shader's `#version` stays in front, with what is fixed behind it.
void fix_shader(const SourceOptions& options, PackSource& source) {
  const std::size_t end = behind_version(source.text);
  const std::string_view text = source.text, head = text.substr(0, end);
  const auto lines = std::ranges::count(head, '\n');
  std::string front(head);
  if (!options.version.empty()) {
    front.resize(end == 0 ? 0 : head.find("#version"));
    front += as_directive(options.version);
  }
  source.text = fmt::format("{}{}#line {}\n{}", front, definitions(options), lines + 1, text.substr(end));
}

void fix(const SourceOptions& options, PackSource& source) {
  source.version = options.version;
  if (options.macros.empty()) return;
  source.text = fmt::format("{}#line 1 {}\n{}", definitions(options), base::quote(source.file, 200), source.text);
}

}  // namespace

Result<std::pair<std::string, std::string>> parse_macro(std::string_view text) {
  const auto equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "1" : text.substr(equals + 1);
  if (base::is_identifier(name) && value.find_first_of("\r\n") == std::string_view::npos)
    return std::pair(std::string(name), std::string(value));
  return Error(Errc::invalid_argument,
               fmt::format("Macro {} is not valid; it takes NAME or NAME=TEXT of one line.", base::quote(text)));
}

bool is_version(Language language, std::string_view version) noexcept {
  const auto is_in = [&](const auto& versions) { return std::ranges::find(versions, version) != versions.end(); };
  switch (language) {
    case Language::opencl_c: return is_in(versions_of_opencl_c);
    case Language::c: return is_in(versions_of_c);
    case Language::glsl: version = without_profile(version); return is_in(versions_of_glsl);
    case Language::hlsl:
    case Language::slang:
    case Language::wgsl:
    case Language::stablehlo: return false;
  }
  return false;
}

std::string version_names() {
  return "CL1.0, CL1.1, CL1.2, CL2.0, CL3.0 for OpenCL C; c99, c11, c17, c23, gnu99, gnu11, gnu17, gnu23 for C; 310, "
         "320, "
         "400 to 460, also with core or es, for GLSL";
}

Result<void> define(const SourceOptions& options, PackSource& source) {
  if (!options.version.empty() && !is_version(source.language, options.version)) {
    return Error(Errc::invalid_argument,
                 fmt::format("Language {} is no version of the language of {}; known are {}.",
                             base::quote(options.version), base::quote(source.file), version_names()));
  }
  const bool is_fixed = !options.macros.empty() || !options.version.empty();
  if (!options.macros.empty() && (source.language == Language::wgsl || source.language == Language::stablehlo)) {
    return Error(Errc::invalid_argument,
                 fmt::format("Source {} takes no macro {}: {}.", base::quote(source.file),
                             base::quote(options.macros.front().first),
                             source.language == Language::wgsl ? "WGSL has none, and a constant is an `override` there"
                                                               : "StableHLO has none"));
  }
  if (source.language != Language::glsl) fix(options, source);
  else if (is_fixed) fix_shader(options, source);
  return {};
}

Result<void> apply(const SourceOptions& options, const std::filesystem::path& own, const std::filesystem::path& root,
                   PackSource& source) {
  PINTLE_ASSIGN(text, with_includes(source.file, source.text, {own, options.folders, root}));
  source.text = std::move(text);
  return define(options, source);
}

}  // namespace pintle::io
