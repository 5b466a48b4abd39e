// What functions do with the variables of their module.
#pragma once

#include <set>
#include <string_view>

#include "wgsl/declarations.h"

namespace pintle::wgsl {

/// Names of variables. A store to a name that the function also gives to something of its own counts as a use alone.
struct Touched {
  std::set<std::string_view> used;
  std::set<std::string_view> read;     ///< Certainly, or by an atomic function.
  std::set<std::string_view> written;  ///< Certainly, or by an atomic function.
  std::set<std::string_view> escaped;  ///< A pointer to it goes where it is not followed.
};

/// What the function touches, also through the functions that it calls.
[[nodiscard]] Touched touched_by(const Declarations& all, const Function& function);

}  // namespace pintle::wgsl
