// A kernel cut at its barriers: which code runs between two of them, and what lives on across one.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace pintle::plugins::opencl_c {

/// The code from the kernel's beginning, or from behind a barrier, to the next barriers and the kernel's end.
struct Region {
  llvm::BasicBlock* begin = nullptr;
  llvm::SmallVector<llvm::BasicBlock*> blocks;  ///< `begin` first.
  bool repeats = false;                         ///< A group may run it more than once.
  bool of_group = false;                        ///< It begins when all items of the group have come, not of a subgroup.
};

/// A variable of each item, or one that all items have in common.
struct Slot {
  llvm::AllocaInst* variable = nullptr;
  bool is_uniform = false;    ///< All items of a group have the same value wherever a region begins.
  bool is_scalar = false;     ///< Only loads and stores of the whole: lives in registers within a region.
  std::vector<bool> alive;    ///< By region: whether its value at the region's beginning is used.
  std::vector<bool> written;  ///< By region.
  std::vector<bool> used;     ///< By region.

  [[nodiscard]] bool is_kept() const { return llvm::is_contained(alive, true); }
};

struct Cut {
  std::vector<Region> regions;  ///< The first begins at the kernel's entry.
  std::vector<Slot> slots;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> behind;  ///< The block before a barrier, and the region behind it.
};

/// Changes the kernel so that no value but of variables and of what can be computed again lives across a barrier.
[[nodiscard]] Cut cut_at_barriers(llvm::Function& kernel);

}  // namespace pintle::plugins::opencl_c
