// Values to lay out, in MiniMalloc's CSV: id, lower, upper, size and, where there is one, alignment.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "pintle/error.h"
#include "pintle/planner.h"

namespace pintle::io {

/// One line of column names in any order, then one line for each value. `upper` is exclusive. `invalid_argument` names
/// the line and the column of characters, both from 1, and what is expected there.
[[nodiscard]] Result<PlanProblem> parse_plan_csv(std::string_view text);
/// Writes ids, lifetimes, sizes and alignments, and nothing else of a problem. `unsupported` for an id with a comma, a
/// quote, an end of line, or space around it.
[[nodiscard]] Result<std::string> serialize_plan_csv(const PlanProblem& problem);
[[nodiscard]] Result<PlanProblem> read_plan_csv(const std::filesystem::path& path);

}  // namespace pintle::io
