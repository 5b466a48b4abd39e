// The function that runs one work-group: loops over its items around each region of a kernel.
#pragma once

#include <llvm/IR/Function.h>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// Makes `void NAME(const pintle_group*, void* const* arguments)` out of a kernel, which is changed and has the name no
/// more.
llvm::Function& make_group_function(llvm::Function& kernel, const Entry& entry, const llvm::Twine& name, Groups groups);

}  // namespace pintle::plugins::opencl_c
