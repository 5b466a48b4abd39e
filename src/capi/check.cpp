#include "capi/check.h"

#include <fmt/format.h>

namespace pintle::capi {

Error is_null(const char* what) { return {Errc::invalid_argument, fmt::format("The argument [{}] is NULL.", what)}; }

Error no_number(std::string_view what, std::int64_t number, std::int64_t last) {
  return {Errc::invalid_argument, fmt::format("The number ({}) is no {}: 1 to {}.", number, what, last)};
}

Result<void> within(std::size_t index, std::size_t count, std::string_view what) {
  if (index < count) return {};
  return Error(Errc::invalid_argument,
               fmt::format("The index ({}) is beyond the last {}: there are {}.", index, what, count));
}

Result<Timeout> timeout_of(std::int64_t nanoseconds) {
  if (nanoseconds == PINTLE_TIMEOUT_DEFAULT) return Timeout();
  if (nanoseconds == PINTLE_TIMEOUT_INFINITE) return Timeout::infinite();
  if (nanoseconds < 0)
    return Error(Errc::invalid_argument, fmt::format("The timeout ({} ns) is negative.", nanoseconds));
  return Timeout(Duration(nanoseconds));
}

}  // namespace pintle::capi
