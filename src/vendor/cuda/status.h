// What the driver's statuses are called, and what they mean for a caller.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

/// The error of a refused call to `library`, with the vendor's number and symbol. `message` is a whole sentence.
[[nodiscard]] inline Error failure_of(Status status, std::string message, std::string_view library) {
  const StatusRow row = row_of(status);
  return Error(row.code, std::move(message))
      .with_vendor({std::string(library), static_cast<std::int64_t>(status), std::string(row.symbol)});
}

}  // namespace pintle::vendor::cuda
