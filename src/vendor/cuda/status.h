// What the driver's statuses are called, and what they mean for a caller.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "pintle/error.h"
#include "vendor/cuda/types.h"

namespace pintle::vendor::cuda {

struct StatusRow {
  Status status;
  std::string_view symbol;
  Errc code;
};

inline constexpr std::array status_rows{
#define STATUS(name, number, meaning) StatusRow{Status::name, #name, Errc::meaning},
#include "vendor/cuda/statuses.inc"
#undef STATUS
};

/// The row of a status; a number that the table does not have is "CUDA_ERROR_UNKNOWN" and `internal`.
[[nodiscard]] constexpr StatusRow row_of(Status status) noexcept {
  const auto* const found = std::ranges::find(status_rows, status, &StatusRow::status);
  return found == status_rows.end() ? StatusRow{status, "CUDA_ERROR_UNKNOWN", Errc::internal} : *found;
}

}  // namespace pintle::vendor::cuda
