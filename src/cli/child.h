// Runs this command once more, in a process of its own, for work that may crash.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "pintle/error.h"

namespace pintle::cli {

/// Runs this program with `arguments` and waits for its end, `patience` at most. `environment` has NAME=value to set.
[[nodiscard]] Result<base::ProcessOutput> run_child(const std::vector<std::string>& environment,
                                                    const std::vector<std::string>& arguments,
                                                    std::chrono::seconds patience = std::chrono::seconds(20));

/// "ends by signal 11 (invalid memory access)" or "exits with 3", and the last line of what it printed.
[[nodiscard]] std::string end_of(const base::ProcessOutput& child);

}  // namespace pintle::cli
