// Which values are the same for all items of a group that reach them together.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>

namespace pintle::plugins::opencl_c {

/// Computed once for a function. A value that may differ between items, or of which that is not known, is varying.
class Uniform {
 public:
  explicit Uniform(llvm::Function& function);

  [[nodiscard]] bool holds(const llvm::Value* value) const { return !varying_.contains(value); }
  /// Whether only some items may come to a block.
  [[nodiscard]] bool is_way(const llvm::BasicBlock& block) const { return ways_.contains(&block); }

 private:
  void mark(const llvm::Value* value);
  void mark_users(const llvm::Value* value);
  void mark_joins(llvm::BasicBlock& branch);

  llvm::Function& function_;
  llvm::DenseSet<const llvm::Value*> varying_;
  llvm::DenseSet<const llvm::BasicBlock*> ways_;
  llvm::SmallVector<const llvm::Value*> work_;
};

}  // namespace pintle::plugins::opencl_c
