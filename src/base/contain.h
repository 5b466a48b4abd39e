// The wall that no exception passes: an exception of the standard library becomes an Error.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

#include "pintle/error.h"

namespace pintle::base {

/// `out_of_memory` or `internal` for the exception that is being handled. Called inside a catch block only.
[[nodiscard]] Error error_of_exception(std::string_view what) noexcept;

/// Runs `body`, which returns a Result. An exception inside becomes an Error; `what` says what was being done: "reading
/// a file".
template <class Body>
[[nodiscard]] auto contain(std::string_view what, Body&& body) noexcept -> std::invoke_result_t<Body> {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return error_of_exception(what);
  }
}

/// Runs a `body` that returns a value and cannot refuse. Where it throws, `otherwise`, which needs no memory, is the
/// answer.
template <class Value, class Body>
[[nodiscard]] Value contain_or(Value otherwise, Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return otherwise;
  }
}

}  // namespace pintle::base
