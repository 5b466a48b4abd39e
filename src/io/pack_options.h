// What is fixed in a source before it is packed: macros, included files, the version of the language.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/pack_recipe.h"

namespace pintle::io {

struct SourceOptions {
  std::vector<std::pair<std::string, std::string>> macros;  ///< Names and texts.
  std::vector<std::filesystem::path> folders;               ///< Where files that it includes lie.
  std::string version;                                      ///< "CL2.0", "c17", "460"; empty: as it is.
};

/// "NAME" (which is 1) or "NAME=TEXT". `invalid_argument` where the name is no identifier, or the text has several
/// lines.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_macro(std::string_view text);

/// Whether `version` is one of the language's: CL1.0 to CL3.0, c99 to gnu23, 310 to 460core.
[[nodiscard]] bool is_version(Language language, std::string_view version) noexcept;
/// The versions of all languages, for messages.
[[nodiscard]] std::string version_names();

/// Makes the macros and the version a part of the source, without the files that it includes.
[[nodiscard]] Result<void> define(const SourceOptions& options, PackSource& source);

/// Makes the options a part of the text, which then needs no folder. A macro is a default: one that is given at load
/// wins. A version of GLSL becomes its `#version`; other versions are kept beside the text. `root`, where it is not
/// empty, holds every included file.
[[nodiscard]] Result<void> apply(const SourceOptions& options, const std::filesystem::path& own,
                                 const std::filesystem::path& root, PackSource& source);

}  // namespace pintle::io
