// What every function checks of what it gets from C: pointers, and numbers that stand for a name.
#pragma once

#include <cstdint>
#include <string_view>

#include "pintle/c/status.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::capi {

[[nodiscard]] Error is_null(const char* what);
[[nodiscard]] Error no_number(std::string_view what, std::int64_t number, std::int64_t last);

/// Success where the pointer is not null.
[[nodiscard]] inline Result<void> given(const void* pointer, const char* what) {
  if (pointer == nullptr) [[unlikely]]
    return is_null(what);
  return {};
}

/// A number from 1 to `last`, as an enumerator.
template <class Enum>
[[nodiscard]] Result<Enum> enumerator(std::uint32_t number, Enum last, const char* what) {
  if (number == 0 || number > static_cast<std::uint32_t>(last)) [[unlikely]]
    return no_number(what, number, static_cast<std::int64_t>(last));
  return static_cast<Enum>(number);
}

/// Success for an index of one of `count` things, which `what` names.
[[nodiscard]] Result<void> within(std::size_t index, std::size_t count, std::string_view what);

/// Nanoseconds, or PINTLE_TIMEOUT_DEFAULT.
[[nodiscard]] Result<Timeout> timeout_of(std::int64_t nanoseconds);

}  // namespace pintle::capi
