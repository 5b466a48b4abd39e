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

/// What depends on no compiler: `invalid_argument` for a source that is to become what its language does not have, or a
/// pack that keeps no rules.
[[nodiscard]] Result<void> check_recipe(const io::PackRecipe& recipe);

/// Of a recipe that was checked. `build_failed` with every reason when no variant is there at all.
[[nodiscard]] Result<Built> build(io::PackRecipe recipe);

}  // namespace pintle::cli
