// A pack out of a recipe: every source, through every compiler of its language.
#pragma once

#include <string>
#include <vector>

#include "cli/compilers/compiler.h"
#include "io/pack_recipe.h"

namespace pintle::cli {

/// A variant that is missing, and why.
struct NotBuilt {
  std::string format;
  std::string target;
  std::string source;
  Error error;

  /// One line: why there is no compiler, or the first error that it found.
  [[nodiscard]] std::string reason() const;
};

struct Built {
  io::Pack pack;
  std::vector<NotBuilt> missing;
};

/// Checks what depends on no compiler: `invalid_argument` for a source whose language does not have the wanted format,
/// or for a pack that breaks the rules.
[[nodiscard]] Result<void> check_recipe(const io::PackRecipe& recipe);

/// Builds a recipe that was checked. `build_failed` with every reason when there is no variant at all.
[[nodiscard]] Result<Built> build(io::PackRecipe recipe);

}  // namespace pintle::cli
