// Every function of the C interface: what a body answers becomes a status, and no exception leaves.
#pragma once

#include <concepts>
#include <type_traits>

#include "pintle/c/status.h"
#include "pintle/error.h"

namespace pintle::capi {

[[nodiscard]] inline bool is_usable(const pintle_error& error) noexcept { return error.size == sizeof(pintle_error); }
/// Fills `out`, which may be null, and answers the code.
pintle_status fail(pintle_error* out, const Error& failure) noexcept;
/// What a function of the caller's has answered and filled. Empties `filled`.
[[nodiscard]] Error take_failure(pintle_status status, pintle_error& filled);
/// The exception that is being handled, as an error.
[[nodiscard]] Error caught() noexcept;

/// For a body that answers a status: it calls `fail` itself.
template <std::invocable Body>
  requires std::same_as<std::invoke_result_t<const Body&>, pintle_status>
[[gnu::always_inline]] inline pintle_status enter(pintle_error* error, const Body& body) noexcept {
  if (error != nullptr && !is_usable(*error)) [[unlikely]]
    return PINTLE_INVALID_ARGUMENT;
  try {
    return body();
  } catch (...) {
    return fail(error, caught());
  }
}

template <std::invocable Body>
[[gnu::always_inline]] inline pintle_status enter(pintle_error* error, const Body& body) noexcept {
  if (error != nullptr && !is_usable(*error)) [[unlikely]]
    return PINTLE_INVALID_ARGUMENT;
  try {
    const Result<void> result = body();
    if (result) [[likely]]
      return PINTLE_OK;
    return fail(error, result.error());
  } catch (...) {
    return fail(error, caught());
  }
}

}  // namespace pintle::capi
