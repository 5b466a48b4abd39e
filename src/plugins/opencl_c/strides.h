// What a loop of an item does to memory, as its neighbours see it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

#include "plugins/opencl_c/uniform.h"

namespace pintle::plugins::opencl_c {

/// Whether a round of all items would become vectors: neighbours in x find its memory side by side, it waits for
/// nobody, and it hands little to the next round.
[[nodiscard]] bool is_worth_turning(const llvm::Loop& loop, const Uniform& uniform);

}  // namespace pintle::plugins::opencl_c
