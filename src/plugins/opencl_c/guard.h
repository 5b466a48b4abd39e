// The guard at a kernel's beginning, `if (get_global_id(0) < n)`, told once for a whole group.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>

#include <array>
#include <utility>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// Comparisons of an item's place with what all items share, and the answer with which each lets an item through. An
/// item that one stops does nothing at all.
using Guard = llvm::SmallVector<std::pair<llvm::ICmpInst*, bool>>;

/// Empty where the kernel begins with no such comparison.
[[nodiscard]] Guard find_guard(llvm::Function& kernel, const Entry& entry);

/// Gives every comparison the answer that lets an item through.
void open_guard(const Guard& guard);

/// Functions that run a group of the same kernel.
struct Versions {
  bool has_rows = false;            ///< Each runs several groups at a time.
  llvm::Function* whole = nullptr;  ///< For near launches, where all items of the group pass the guard.
  llvm::Function* part = nullptr;   ///< For near launches, with any group; null where there is no guard.
  llvm::Function* other = nullptr;  ///< For all other launches.
};

/// Makes `void NAME(const pintle_group*, void* const*)`, which calls the version for a group. A guard's comparison is
/// monotone in each id, so that the group's corners tell of all.
void choose_version(llvm::Function& kernel, const Guard& guard, const Entry& entry, const Versions& versions);

}  // namespace pintle::plugins::opencl_c
