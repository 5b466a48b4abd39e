// Rows as JSON and as a table.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "bench/bench.h"

namespace pintle::bench {

using Json = nlohmann::ordered_json;

/// {"name","device","unit","min","p50","p99","reference":{"name","p50"},"ratio","ratio_low","ratio_high"}, then
/// "difference_ns" and "size" where the figure has them, "reach" and "reached" where it should reach something. A
/// skipped row is
/// {"name","device","skipped"}.
[[nodiscard]] Json to_json(const Row& row);
/// The same with each pair.
[[nodiscard]] Json raw_json(const Row& row);
[[nodiscard]] std::string table(std::span<const Row> rows);

}  // namespace pintle::bench
