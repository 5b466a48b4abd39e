// Loops of an item that all items run alike: the loop over items goes inside, where it becomes vectors.
#pragma once

#include <llvm/IR/Function.h>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// Whether `turn_loops` would turn any.
[[nodiscard]] bool has_loops_to_turn(llvm::Function& kernel, const Entry& entry);

/// Puts barriers around each round of an innermost loop that every item of a group runs equally often, and whose memory
/// neighbours in x find side by side. Then a round of all items is a loop over items without a loop inside.
void turn_loops(llvm::Function& kernel, const Entry& entry);

}  // namespace pintle::plugins::opencl_c
