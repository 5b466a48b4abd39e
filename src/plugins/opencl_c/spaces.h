// Which memory a pointer points to: to_global, to_local, to_private and get_fence.
#pragma once

#include <llvm/IR/Function.h>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// Puts its value in place of each such call, where the code shows what the pointer may point to. Any other call stays,
/// and is refused by name.
void resolve_spaces(llvm::Function& kernel, const Entry& entry);

}  // namespace pintle::plugins::opencl_c
