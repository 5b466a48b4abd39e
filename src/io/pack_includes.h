// Files that a source includes, made a part of its text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::io {

/// Where files that a source includes may lie.
struct IncludePlaces {
  std::filesystem::path own;                   ///< The folder of the source.
  std::vector<std::filesystem::path> folders;  ///< Looked into next, in this order.
  std::filesystem::path root;                  ///< Where it is not empty: only files within it, links followed.
};

/// `text` with each `#include "x"` and `#include <x>` replaced by the file that it names, with `#line` for messages.
/// Conditions stay as they are, so that what decides at load still decides. A file that is in none of the places is
/// left to the compiler (`#include <stdint.h>`). A text without such files is unchanged. `invalid_argument` for a file
/// outside of the root, `unsupported` for one that includes itself without a guard.
[[nodiscard]] Result<std::string> with_includes(std::string_view name, std::string_view text,
                                                const IncludePlaces& places);

}  // namespace pintle::io
