// The one door that every public function passes.
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "base/door.h"
#include "core/door/describe.h"
#include "core/door/thread_context.h"

namespace pintle::core {

using base::enter;

/// `base::enter` for a function of an object. An empty object is refused with its kind, such as "Queue".
template <class Pointer, class Body>
[[nodiscard]] auto enter(const Pointer& object, std::string_view kind, std::string_view what, Body&& body) noexcept
    -> std::invoke_result_t<Body> {
  return enter(what, [&]() -> std::invoke_result_t<Body> {
    if (object == nullptr) return empty_object(kind);
    return std::forward<Body>(body)();
  });
}

/// Enters a function that returns a value and cannot refuse. `otherwise` is the answer of an empty object, in a forked
/// child and where host memory runs out.
template <class Pointer, class Value, class Body>
[[nodiscard]] Value enter_or(const Pointer& object, Value otherwise, Body&& body) noexcept {
  if (object == nullptr || base::in_forked_child()) return otherwise;
  return base::contain_or(std::move(otherwise), std::forward<Body>(body));
}

}  // namespace pintle::core
