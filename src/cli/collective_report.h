// Rows of `bench collective` as text, CSV and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "cli/collective_bench.h"
#include "cli/output.h"

namespace pintle::cli {

/// What stands above the rows.
struct CollectiveSubject {
  std::uint32_t ranks = 1;
  std::string transport;
  CollectiveRequest request;
};

/// Text in the form of nccl-tests: a line that is no row begins with "#".
[[nodiscard]] std::string heading_text(const CollectiveSubject& subject);
[[nodiscard]] std::string row_text(const CollectiveRow& row);
[[nodiscard]] std::string ending_text(std::span<const CollectiveRow> rows);

[[nodiscard]] std::string_view csv_heading() noexcept;
[[nodiscard]] std::string row_csv(const CollectiveRow& row);

/// {"ranks", "transport", ..., "rows": [...], "wrong", "busbw_mean"}; a value that a row does not have is null.
[[nodiscard]] Json to_json(const CollectiveSubject& subject, std::span<const CollectiveRow> rows);

/// Wrong elements of all rows.
[[nodiscard]] std::uint64_t wrong_elements(std::span<const CollectiveRow> rows) noexcept;

}  // namespace pintle::cli
