// Memory of one running group: on the stack where it is small, else a variable of the thread.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace pintle::plugins::opencl_c {

/// Memory is asked for piece by piece while a function is made; `finish` decides where all of it lies.
class Storage {
 public:
  explicit Storage(llvm::Function& function) : function_(function) {}

  /// The address of `bytes` of memory, aligned to 64. An instruction in the function's entry block.
  [[nodiscard]] llvm::Instruction* take(std::uint64_t bytes, const llvm::Twine& name);
  void finish();

 private:
  llvm::Function& function_;
  llvm::SmallVector<llvm::AllocaInst*> pieces_;
};

}  // namespace pintle::plugins::opencl_c
