// Questions that all items of a group answer alike are asked once, between loops over items.
#pragma once

#include <llvm/IR/Function.h>

namespace pintle::plugins::opencl_c {

/// Puts barriers on both ways from a branch that follows a barrier with nothing before it but what all items have in
/// common. Then either way begins a region of its own, and the branch is taken once.
void split_questions(llvm::Function& kernel);

}  // namespace pintle::plugins::opencl_c
