// What a compiler or a reader of this machine finds in a kernel's code, before the code is packed.
#pragma once

#include <string>
#include <vector>

#include "cli/compilers/compiler.h"
#include "io/pack.h"
#include "io/pack_recipe.h"

namespace pintle::cli {

/// Code that nothing here can read, and why.
struct NotRead {
  std::string code;  ///< "Source "blur.cl"", "Variant ptx for sm_90".
  Error error;
};

/// What was found wrong, in the order of the recipe, and what was not looked at.
struct Reading {
  std::vector<Error> faults;
  std::vector<NotRead> unread;
};

/// Reads every source and every variant of a recipe, and looks for each declared entry in it. A source that does not
/// compile, an entry that the code does not have, or one whose arguments differ, is a fault that says what there is.
[[nodiscard]] Reading read_kernels(const io::PackRecipe& recipe);

/// What of compiled code (spirv, ptx, amdgcn) does not agree with its entries, as far as the code tells.
[[nodiscard]] std::vector<Error> compare_compiled(const io::Pack& pack);

}  // namespace pintle::cli
