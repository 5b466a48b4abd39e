#include "capi/check.h"

#include <fmt/format.h>
#include <algorithm>

namespace pintle::capi {

Error is_null(const char* what) { return {Errc::invalid_argument, fmt::format("The argument [{}] is NULL.", what)}; }

Error wrong_size(std::string_view type, std::uint64_t size, std::uint64_t known) {
  return {Errc::invalid_argument,
          fmt::format("The size ({}) of a [{}] is none of a version that is known: at least {} and at most {} bytes.",
                      size, type, known, largest_struct)};
}

Error no_number(std::string_view what, std::int64_t number, std::int64_t last) {
  return {Errc::invalid_argument, fmt::format("The number ({}) is no {}: 1 to {}.", number, what, last)};
}

Result<void> readable(const void* struct_, std::uint64_t size, std::uint64_t known, const char* type) {
  if (size < known || size > largest_struct) return wrong_size(type, size, known);
  const char* const bytes = static_cast<const char*>(struct_);
  if (std::all_of(bytes + known, bytes + size, [](char byte) { return byte == 0; })) return {};
  return Error(
      Errc::invalid_argument,
      fmt::format("A [{}] of {} bytes has something behind byte {}, which this version of the library does not know.",
                  type, size, known));
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
