// The members of what a kernel takes by value, in the code beside the signature's.
#pragma once

#include <llvm/IR/Argument.h>

#include <string>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// What differs between a struct, vector or number of the code and `parameter`, in words; empty where all agrees. A
/// struct with a union in it is compared by its size alone.
[[nodiscard]] std::string differing_member(const llvm::Argument& argument, const Parameter& parameter);

}  // namespace pintle::plugins::opencl_c
