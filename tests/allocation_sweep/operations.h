// What a program may call, one function at a time: set up, called in a window, looked at.
#pragma once

#include <span>

#include "conformance/sweep/scenario.h"

namespace pintle::allocation_sweep {

/// Each opens the window itself, around what it is about.
[[nodiscard]] std::span<const conformance::Scenario> operations();

}  // namespace pintle::allocation_sweep
