// Runs this command once more, in a process of its own, for work that may crash.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "cli/output.h"
#include "pintle/error.h"

namespace pintle::cli {

/// Runs this program with `arguments` and waits for its end, `patience` at most; what it says on standard error is
/// apart. `environment` has NAME=value to set.
[[nodiscard]] Result<base::ProcessOutput> run_child(const std::vector<std::string>& environment,
                                                    const std::vector<std::string>& arguments,
                                                    std::chrono::seconds patience = std::chrono::seconds(20));

/// Whether a signal ended it.
[[nodiscard]] bool has_crashed(const base::ProcessOutput& child) noexcept;
/// "ends by signal 11 (invalid memory access)" or "exits with 3", and the last line of what it said, else printed.
[[nodiscard]] std::string end_of(const base::ProcessOutput& child);
/// The document that it printed, where the document has `key`; discarded where it has none.
[[nodiscard]] Json document_of(const base::ProcessOutput& child, const char* key);

}  // namespace pintle::cli
