// Subgroups: which items of a group belong to one, and what calls for them become.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <string>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// A ballot has 128 bits.
inline constexpr std::uint64_t most_subgroup = 128;

/// The items of a group, in the order of their local linear ids, as many in each subgroup.
struct Subgroups {
  std::uint64_t size = 1;   ///< Items of each but the last.
  std::uint64_t count = 1;  ///< Subgroups of a group.
  std::uint64_t last = 1;   ///< Items of the last.

  [[nodiscard]] bool several() const { return count > 1; }
};

/// The size is the one that is asked for; else a line in x, where the group has several of 16 items or more, as kernels
/// for GPUs count on; else the whole group. At most `most_subgroup`.
[[nodiscard]] Subgroups subgroups_of(const Entry& entry);

/// Whether a kernel calls any function of subgroups.
[[nodiscard]] bool has_subgroups(llvm::Function& kernel);

/// Takes the size that the source asks for, where the signature has none. What is wrong with it; empty: nothing.
[[nodiscard]] std::string check_subgroups(llvm::Function& kernel, Entry& entry);

/// Constants, and places of items, become values. Where there are several subgroups, an item's place is its subgroup's
/// and its own in that one, and their barriers become cuts; else they become the group's.
void lower_subgroups(llvm::Function& kernel, const Entry& entry);

}  // namespace pintle::plugins::opencl_c
