// Barriers where the byte ranges of commands need them.
#pragma once

#include <span>

#include "core/buffers/aliases.h"
#include "pintle/backend/command.h"

namespace pintle::core {

/// Sets `barrier_before` on every command that a RAW, WAR or WAW hazard orders after an earlier one, and on no other. A
/// flag that `barrier()` has set stays. A range in a slot may be any memory: it conflicts with everything when either
/// side writes. Host calls are ordered against everything. O(n log n) in the number of ranges.
/// `aliases` names the memory that has a second name: bytes under two names are one memory.
void place_barriers(std::span<backend::Command> commands, std::span<const backend::Argument> arguments,
                    std::span<const Alias> aliases = {});

}  // namespace pintle::core
