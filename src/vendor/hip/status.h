// What HIP's statuses are called, and what they mean for a caller.
#pragma once

#include <algorithm>
#include <array>

#include "pintle/error.h"
#include "vendor/cuda/status.h"
#include "vendor/hip/types.h"

namespace pintle::vendor::hip {

using cuda::StatusRow;

inline constexpr std::array status_rows{
#define STATUS(name, number, meaning) StatusRow{static_cast<Status>(number), #name, Errc::meaning},
#include "vendor/hip/statuses.inc"
#undef STATUS
};

/// The row of a status; a number that the table does not have is "hipErrorUnknown" and `internal`.
/// To be called as hip::row_of: the type of a status is cuda's, so that a bare call finds cuda's, too.
[[nodiscard]] constexpr StatusRow row_of(Status status) noexcept {
  const auto* const found = std::ranges::find(status_rows, status, &StatusRow::status);
  return found == status_rows.end() ? StatusRow{status, "hipErrorUnknown", Errc::internal} : *found;
}

}  // namespace pintle::vendor::hip
