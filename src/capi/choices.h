// Members of structs that have a default, where they are 0 or NULL.
#pragma once

#include <fmt/format.h>
#include <optional>
#include <string>

#include "capi/check.h"
#include "pintle/dtype.h"

namespace pintle::capi {

/// The enumerator of a number, or `standard` for 0.
template <class Enum>
[[nodiscard]] Result<Enum> enumerator_or(Enum standard, std::uint32_t number, Enum last, const char* what) {
  if (number == 0) return standard;
  return enumerator(number, last, what);
}

/// The dtype of a number; empty for 0.
[[nodiscard]] inline Result<std::optional<DType>> dtype_if_given(std::uint32_t number) {
  if (number == 0) return std::optional<DType>();
  PINTLE_ASSIGN(dtype, enumerator(number, DType::complex64, "dtype"));
  return std::optional<DType>(dtype);
}

/// A member that is 1 or 0.
[[nodiscard]] inline Result<bool> flag_of(std::uint32_t number, const char* what) {
  if (number <= 1) return number == 1;
  return Error(Errc::invalid_argument, fmt::format("The value of {} ({}) is neither 0 nor 1.", what, number));
}

/// The timeout of a struct: 0 is PINTLE_TIMEOUT_DEFAULT.
[[nodiscard]] inline Result<Timeout> timeout_or_default(std::int64_t nanoseconds) {
  return timeout_of(nanoseconds == 0 ? std::int64_t{PINTLE_TIMEOUT_DEFAULT} : nanoseconds);
}

[[nodiscard]] inline std::string text_or_none(const char* text) { return text == nullptr ? std::string() : text; }

}  // namespace pintle::capi
