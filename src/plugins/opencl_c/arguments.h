// A kernel's parameters and local variables, and the ids of its group, in the function that runs a group.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>

#include <array>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// A struct by value belongs to the item: where the kernel writes to it, it gets a variable.
void own_structs(llvm::Function& kernel);

/// The value of each parameter, loaded in the entry block of `function`.
[[nodiscard]] llvm::DenseMap<llvm::Value*, llvm::Value*> bind_arguments(llvm::IRBuilder<>& builder,
                                                                        llvm::Function& kernel,
                                                                        llvm::Function& function, const Entry& entry);

struct GroupIds {
  std::array<llvm::Value*, 3> size{};   ///< Items, in 64 bits.
  std::array<llvm::Value*, 3> id{};     ///< 64 bits each.
  std::array<llvm::Value*, 3> count{};  ///< 64 bits each.
};

/// A launch with fewer items than that in each dimension is near: every id fits an `int`, with a small constant added
/// too. The code of a group is made for near launches, and once more for all others.
inline constexpr std::int64_t far = std::int64_t{1} << 30;

[[nodiscard]] GroupIds load_ids(llvm::IRBuilder<>& builder, llvm::Function& function, const Entry& entry,
                                Groups groups);

/// What a call for one of the group's ids, counts or sizes gives; null for any other instruction.
[[nodiscard]] llvm::Value* group_value(const llvm::Instruction& call, llvm::IRBuilder<>& builder, const GroupIds& ids,
                                       const Entry& entry);

/// Whether a variable of the source is in local memory.
[[nodiscard]] bool is_local(const llvm::GlobalVariable& variable);

/// The variables in local memory that the kernel uses, each by an operand of its own instructions.
[[nodiscard]] llvm::SmallVector<llvm::GlobalVariable*> local_variables(llvm::Function& kernel);

}  // namespace pintle::plugins::opencl_c
