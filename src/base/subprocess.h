// Another program, run to its end: a compiler, an assembler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::base {

struct ProcessOutput {
  int status = 0;       ///< The exit status; 128 and the signal's number when a signal ended it.
  std::string output;   ///< Standard output and standard error, in the order of writing; at most 1 MiB.
  std::string words{};  ///< Standard error where it is asked for apart; at most 1 MiB.
};

/// Where the standard error of a program goes.
enum class StandardError : std::uint8_t { with_output, apart };

/// Runs `arguments[0]` (a path) without a shell and with empty input, and waits for its end. `timeout` after the
/// deadline: the process and its children are killed. `unavailable` has the system's words when it cannot be started.
[[nodiscard]] Result<ProcessOutput> run_process(std::span<const std::string> arguments, Deadline deadline,
                                                StandardError words = StandardError::with_output);

/// The path of an executable file: `name` itself when it has a "/", else the first in PATH, or in
/// /usr/bin and /bin with raised rights. Empty when there is none.
[[nodiscard]] std::optional<std::string> find_program(std::string_view name);

}  // namespace pintle::base
