// Barriers where byte ranges say that they are needed.
#pragma once

#include <span>

#include "core/buffers/aliases.h"
#include "pintle/backend/command.h"

namespace pintle::core {

/// Sets `barrier_before` on every command that a RAW, WAR or WAW hazard orders after an earlier one, and on no other (a
/// flag that is already set, by `barrier()`, stays). A range in a slot may be any memory: it conflicts with everything
/// when either side writes. Host calls order against everything. O(n log n) in the number of ranges.
/// `aliases` says which memory has another name, too: the same bytes are one memory, whatever they are called.
void place_barriers(std::span<backend::Command> commands, std::span<const backend::Argument> arguments,
                    std::span<const Alias> aliases = {});

}  // namespace pintle::core
