// Loops of an item that begin at its place: items run them a different number of times, the first one most often.
#pragma once

#include <llvm/IR/Function.h>

namespace pintle::plugins::opencl_c {

/// Whether `even_loops` would find any.
[[nodiscard]] bool has_uneven_loops(llvm::Function& kernel);

/// `for (i = a + l; i < n; i += s) body`, where `l` is the item's place in x and all items share the others, becomes
/// `for (k = a; k < n; k += s) if ((i = k + l) < n) body`: a loop that all items run alike, and that can be turned.
/// Only loops that are worth it, and for which nothing can wrap around.
void even_loops(llvm::Function& kernel);

}  // namespace pintle::plugins::opencl_c
