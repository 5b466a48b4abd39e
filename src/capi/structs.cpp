#include "capi/structs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <string>

namespace pintle::capi {

Error wrong_size(std::string_view type, std::uint64_t size, std::span<const std::size_t> earlier, std::uint64_t known) {
  const std::string others = earlier.empty() ? "" : fmt::format("{}, or ", fmt::join(earlier, ", "));
  return {Errc::invalid_argument,
          fmt::format("The size ({}) of a [{}] is none of a version that is known: {}at least {} and at most {} bytes.",
                      size, type, others, known, largest_struct)};
}

Error other_size(std::string_view type, std::size_t index, std::uint64_t size, std::uint64_t first) {
  return {Errc::invalid_argument,
          fmt::format("The size ({}) of element ({}) in an array of [{}] is not that ({}) of the first element.", size,
                      index, type, first)};
}

Result<void> check_rest(const void* its, std::uint64_t size, std::uint64_t known, const char* type) {
  const char* const bytes = static_cast<const char*>(its);
  if (std::all_of(bytes + known, bytes + size, [](char byte) { return byte == 0; })) return {};
  return Error(
      Errc::invalid_argument,
      fmt::format("A [{}] of {} bytes has something behind byte {}, which this version of the library does not know.",
                  type, size, known));
}

}  // namespace pintle::capi
