// The exit codes of the command. Their numbers are stable.
#pragma once

#include <string>

#include "pintle/error.h"

namespace pintle::cli {

enum class ExitCode : int {
  ok = 0,
  failed = 1,
  usage = 2,
  unavailable = 3,
  invalid = 4,
  io = 5,
  build_failed = 6,
  timeout = 7,
  out_of_memory = 8,
  device_lost = 9,
  internal = 10,
};

[[nodiscard]] ExitCode exit_code(Errc code) noexcept;
/// The table that `pintle --help` prints.
[[nodiscard]] std::string exit_code_table();

}  // namespace pintle::cli
