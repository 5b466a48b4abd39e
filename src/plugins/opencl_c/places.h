// Expressions of an item's place that grow by one from an item to its neighbour, and what all items share.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <optional>

#include "plugins/opencl_c/job.h"

namespace pintle::plugins::opencl_c {

/// A comparison of an item's place with what all items share, which lets an item through or does not.
struct Bound {
  unsigned dimension = 0;                                       ///< The dimension of the local id in the place.
  llvm::CmpInst::Predicate predicate = llvm::CmpInst::ICMP_EQ;  ///< `place` PREDICATE `limit` lets an item through.
  llvm::Value* place = nullptr;
  llvm::Value* limit = nullptr;
};

class Places {
 public:
  using Known = llvm::function_ref<bool(const llvm::Value*)>;

  /// Where launches are not `near`, a global id may be too large for its type, and is no place.
  Places(const Entry& entry, bool near) : entry_(entry), near_(near) {}

  /// `is_common`: what else all items have in common, beside arguments, constants and what is the group's.
  [[nodiscard]] std::optional<Bound> bound_of(const llvm::ICmpInst& compare, bool answer, Known is_common) const;

 private:
  struct Place {
    unsigned dimension;
    bool may_be_negative;
  };
  [[nodiscard]] std::optional<unsigned> id_of(const llvm::Value* value) const;
  [[nodiscard]] std::optional<Place> place_of(const llvm::Value* value) const;
  [[nodiscard]] bool is_part_of_group(const llvm::Value* value, unsigned dimension) const;

  const Entry& entry_;
  bool near_;
};

/// The comparisons that all have to have their answer for `condition` to have `answer`; other conditions are left out.
void add_leaves(llvm::Value* condition, bool answer,
                llvm::function_ref<void(llvm::ICmpInst& compare, bool answer)> add);

/// The value, computed where the builder stands; `known` gives what is there already, and null for all else.
[[nodiscard]] llvm::Value* computed_at(llvm::Value* value, llvm::IRBuilder<>& builder,
                                       llvm::function_ref<llvm::Value*(llvm::Value*)> known);

}  // namespace pintle::plugins::opencl_c
