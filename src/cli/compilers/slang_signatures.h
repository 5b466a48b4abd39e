// The signatures of sources in Slang, which its own reflection has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/compilers/compiler.h"

namespace pintle::cli {

/// Gives each source in Slang that declares no entries those that it has, and the same to the recipe's other sources
/// that declare none.
[[nodiscard]] Result<void> complete_entries(io::PackRecipe& recipe);

/// The names of the entries of a source in Slang. `build_failed` has both sides where a declared entry differs.
[[nodiscard]] Result<std::vector<std::string>> entries_of_slang(const io::PackSource& source);

/// Whether the source is to have the entry.
[[nodiscard]] bool is_listed(const io::PackSource& source, std::string_view entry);

}  // namespace pintle::cli
