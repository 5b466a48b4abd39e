// A kernel's parameters in the code beside the signature's, and what the code asks of their memory.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// Whether a parameter points to memory of a group.
[[nodiscard]] bool is_local(const llvm::Function& kernel, unsigned index);

/// Why the kernel's parameters and group size do not fit the signature, in words with both sides; empty: they do.
[[nodiscard]] std::string check_parameters(const llvm::Function& kernel, const Entry& entry);

/// Lines "ENTRY PARAMETER BYTES" for the buffers whose accesses are aligned to more than a number of the signature.
[[nodiscard]] std::string alignments_of(const llvm::Function& kernel, const Entry& entry);

/// Vectors may lie where their numbers may, though OpenCL C leaves that open: no access ends the process for its
/// address. To be called when all alignments have been told.
void access_anywhere(llvm::Function& kernel);

}  // namespace pintle::plugins::opencl_c
