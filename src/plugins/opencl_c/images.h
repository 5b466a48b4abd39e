// Images and samplers among a kernel's parameters.
#pragma once

#include <llvm/IR/Function.h>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// Gives the kernel what the built-in functions ask of images and samplers: the texel that the signature declares, and
/// what the argument has. All of it is loaded at the kernel's beginning and never changes.
void answer_images(llvm::Function& kernel, const Entry& entry);

/// Whether a value is a number of an image or a sampler that is an argument: all items have it in common.
[[nodiscard]] bool is_fact(const llvm::Value& value);

}  // namespace pintle::plugins::opencl_c
