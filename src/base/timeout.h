// What every call with a timeout does with it.
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>

#include "base/door.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::base {

[[nodiscard]] Error not_a_number();
/// `invalid_argument` for a timeout that is not a number.
[[nodiscard]] inline Result<void> check(const Timeout& timeout) {
  if (!timeout.is_number()) [[unlikely]]
    return not_a_number();
  return {};
}
/// The error of a call. Where its deadline was the default and has passed, the error says so, and how to set another.
[[nodiscard]] Error with_default(Error error, const Timeout& timeout, Deadline deadline) noexcept;

/// Runs `body`, which takes the deadline and returns a Result, for a call with a timeout.
template <class Body>
[[nodiscard]] auto bounded(const Timeout& timeout, Body&& body) -> std::invoke_result_t<Body, Deadline> {
  if (auto checked = check(timeout); !checked) return checked.error();
  const Deadline deadline = timeout.deadline();
  auto result = std::forward<Body>(body)(deadline);
  if (!result) return with_default(result.error(), timeout, deadline);
  return result;
}

/// `enter` for a public function that has a timeout.
template <class Body>
[[nodiscard]] auto enter(std::string_view what, const Timeout& timeout, Body&& body) noexcept
    -> std::invoke_result_t<Body, Deadline> {
  return enter(what, [&] { return bounded(timeout, std::forward<Body>(body)); });
}

}  // namespace pintle::base
