// Loops over the items of a group.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <array>

#include "plugins/opencl_c/narrow.h"

namespace pintle::plugins::opencl_c {

/// Up to three loops, x innermost. A dimension of one item has none.
class ItemLoops {
 public:
  /// `builder` stands at the end of the block before the loops, and afterwards in the innermost body, which ends by a
  /// branch to `latch()`. Control goes on at `after`. `ranges` says which items there are, where not all of the group.
  /// `of_rows`: in x there may be more, those of the groups beside.
  ItemLoops(llvm::IRBuilder<>& builder, llvm::Function& function, const std::array<std::uint64_t, 3>& group,
            llvm::BasicBlock* after, const std::array<Range, 3>& ranges, bool of_rows = false);

  [[nodiscard]] const std::array<llvm::Value*, 3>& items() const { return items_; }
  /// The item's place among all of the group.
  [[nodiscard]] llvm::Value* linear() const { return linear_; }
  [[nodiscard]] llvm::BasicBlock* latch() const { return latch_; }

  /// Says that accesses of one round depend on no other round, but for those to variables on the stack. Where such a
  /// variable's address got away, only accesses whose object is known count.
  void mark_parallel(llvm::ArrayRef<llvm::Instruction*> accesses, bool address_is_lost) const;

 private:
  std::array<llvm::Value*, 3> items_{};
  llvm::Value* linear_ = nullptr;
  llvm::BasicBlock* latch_ = nullptr;
  llvm::SmallVector<llvm::BranchInst*> ends_;  // of the loops
  bool is_long_ = false;                       // the innermost one has a vector of items, or more
};

/// Whether the address of a variable is stored, or given to a function.
[[nodiscard]] bool address_is_lost(const llvm::AllocaInst& variable);

}  // namespace pintle::plugins::opencl_c
