// printf: its calls become calls of a function that Pintle gives to the code when it is loaded.
#pragma once

#include <llvm/IR/Module.h>

namespace pintle::plugins::opencl_c {

/// The function that the calls become; it calls through a pointer that the loader sets.
inline constexpr const char* print_name = "pintle_printf";

/// Before anything else sees them: a call of printf with a text of its own. Any other stays, and is refused by name.
void lower_printf(llvm::Module& module);

/// Where a group function that prints ends, so does the line that it has begun.
void end_lines(llvm::Function& group_function);

}  // namespace pintle::plugins::opencl_c
