// Another program, run to its end: a compiler, an assembler.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::base {

struct ProcessOutput {
  int status = 0;      ///< The exit status; 128 and the signal's number when a signal ended it.
  std::string output;  ///< Standard output and standard error, in the order of writing; at most 1 MiB.
};

/// Runs `arguments[0]` (a path) without a shell and with empty input, and waits for its end. `timeout` after the
/// deadline: the process and its children are killed. `unavailable` has the system's words when it cannot be started.
[[nodiscard]] Result<ProcessOutput> run_process(std::span<const std::string> arguments, Deadline deadline);

/// The path of an executable file: `name` itself when it has a "/", else the first in PATH, or in
/// /usr/bin and /bin with raised rights. Empty when there is none.
[[nodiscard]] std::optional<std::string> find_program(std::string_view name);

}  // namespace pintle::base
