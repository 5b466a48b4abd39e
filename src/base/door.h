// The door that public functions pass, in every layer above the seam.
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "base/contain.h"
#include "base/fork.h"

namespace pintle::base {

/// Runs the body of a public function, which returns a Result. A forked child is refused before anything is locked, and
/// no exception gets out. `what` names the call: "opening a device".
template <class Body>
[[nodiscard]] auto enter(std::string_view what, Body&& body) noexcept -> std::invoke_result_t<Body> {
  if (in_forked_child()) return forked_error();
  return contain(what, std::forward<Body>(body));
}

}  // namespace pintle::base
