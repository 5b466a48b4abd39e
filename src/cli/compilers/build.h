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
  bool is_asked = false;  ///< The format was named: by --format, or by the source's own list.

  /// One line: why there is no compiler, or the first error that it found.
  [[nodiscard]] std::string reason() const;
};

struct Built {
  io::Pack pack;
  std::vector<NotBuilt> missing;
};

/// Makes the sides of groups that are constants macros of the sources of OpenCL C and C: a constant that is given at
/// load wins, and without one the source compiles too.
[[nodiscard]] Result<void> define_sides(io::PackRecipe& recipe);

/// Checks what depends on no compiler: `invalid_argument` for a source whose language does not have the wanted format,
/// or for a pack that breaks the rules.
[[nodiscard]] Result<void> check_recipe(const io::PackRecipe& recipe);

/// Builds a recipe that was checked. `build_failed` with every reason when there is no variant at all, unless a format
/// that was asked for is broken: then `missing` says so.
[[nodiscard]] Result<Built> build(io::PackRecipe recipe);

}  // namespace pintle::cli
