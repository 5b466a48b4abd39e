// Divisions of integers that cannot end the process.
#pragma once

#include <llvm/IR/Module.h>

namespace pintle::plugins::opencl_c {

/// Makes the result defined where OpenCL C leaves it open and the processor traps: `x / 0` is x, `x % 0` is 0, and the
/// least integer divided by -1 is itself, with 0 as the rest. Before anything is simplified, or the optimizer has
/// already concluded what cannot be; what it proves of a divisor later costs nothing.
void make_divisions_safe(llvm::Module& module);

}  // namespace pintle::plugins::opencl_c
