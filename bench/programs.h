// Programs that a figure starts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::bench {

/// The helpers are built into the folder of the program that measures.
[[nodiscard]] std::string beside_this_program(std::string_view name);
/// Why one of these cannot be started; empty when all can.
[[nodiscard]] std::string why_missing(const std::vector<std::string>& programs);

/// A program with its arguments, from the call until the process has ended, which must be well.
[[nodiscard]] Result<double> milliseconds_of(const std::vector<std::string>& command);

}  // namespace pintle::bench
