// Kernels of which one call runs several groups that are neighbours in x, as one group with more items.
#pragma once

#include <llvm/IR/Function.h>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// Whether no item can tell in which group it is: there is no barrier and no local memory, and ids in x are part of
/// global ids only.
[[nodiscard]] bool can_make_rows(llvm::Function& kernel, const Entry& entry);

}  // namespace pintle::plugins::opencl_c
