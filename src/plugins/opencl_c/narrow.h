// Loops over only those items of a region that do anything: `if (l < s)` behind a barrier is told by the loop's ends.
#pragma once

#include <optional>

#include "plugins/opencl_c/places.h"
#include "plugins/opencl_c/regions.h"

namespace pintle::plugins::opencl_c {

/// How a region begins: with comparisons that let some items through, while all others come to its end at once.
struct Narrow {
  struct Leaf {
    llvm::ICmpInst* compare;
    bool answer;
    Bound bound;
  };
  llvm::SmallVector<Leaf> leaves;
  std::optional<unsigned> next;  ///< The region behind the barrier where the others arrive; empty: the kernel's end.
};

/// Without leaves where every item does something, or where that is not known.
[[nodiscard]] Narrow find_narrow(const Region& region, const Cut& cut, const Places& places);

/// The first item in a dimension, and the one behind the last; null: all of the group.
struct Range {
  llvm::Value* first = nullptr;
  llvm::Value* last = nullptr;
};

/// Narrows the range of one dimension, which has `size` items. `first_place` and `limit` are computed for the item 0,
/// in the comparison's type.
void narrow(Range& range, const Bound& bound, llvm::Value* first_place, llvm::Value* limit, llvm::Value* size,
            llvm::IRBuilder<>& builder);

}  // namespace pintle::plugins::opencl_c
