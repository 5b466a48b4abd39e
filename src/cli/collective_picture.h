// Draws rows of `bench collective`.
#pragma once

#include <span>
#include <string>

#include "cli/collective_bench.h"
#include "cli/collective_report.h"

namespace pintle::cli {

/// busbw over size as SVG, a line for each operation with its dtype and reduction. Rows that move no bytes are left
/// out.
[[nodiscard]] std::string picture(const CollectiveSubject& subject, std::span<const CollectiveRow> rows);

}  // namespace pintle::cli
