// Local memory that a kernel declares itself, beside what its launch asks for: core does not see the first.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "base/quote.h"
#include "pintle/error.h"

namespace pintle::kit {

/// `invalid_argument` where a group of the launch would have more than `limit`; `own` of `bytes` are the kernel's.
[[nodiscard]] inline Result<void> check_local_memory(std::uint64_t bytes, std::string_view kernel, std::uint64_t own,
                                                     std::uint64_t limit) {
  if (bytes <= limit) return {};
  return Error(Errc::invalid_argument,
               fmt::format("Local memory of a group ({} bytes, of which the kernel {} declares {} itself) is larger "
                           "than the limit ({}) of the device.",
                           bytes, base::quote(kernel), own, limit));
}

}  // namespace pintle::kit
