#include "plugins/opencl_c/split.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "plugins/opencl_c/builtins.h"
#include "plugins/opencl_c/uniform.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

constexpr unsigned most_instructions = 24;

bool is_common(const Instruction& one, const Uniform& uniform) {
  if (isa<AllocaInst>(one) || dimension_of(one, local_id_name) || one.mayHaveSideEffects()) return false;
  return one.isTerminator() || uniform.holds(&one);
}

/// The branch that a barrier is followed by, with nothing but what is common before it.
BranchInst* question_behind(Instruction& barrier, const Uniform& uniform) {
  Instruction* one = barrier.getNextNode();
  for (unsigned i = 0; i < most_instructions && one != nullptr; ++i) {
    if (!is_common(*one, uniform)) return nullptr;
    auto* const branch = dyn_cast<BranchInst>(one);
    if (branch == nullptr) {
      one = one->getNextNode();
    } else if (branch->isConditional()) {
      return uniform.holds(branch->getCondition()) ? branch : nullptr;
    } else {
      one = &branch->getSuccessor(0)->front();
    }
  }
  return nullptr;
}

}  // namespace

void split_questions(Function& kernel) {
  const Uniform uniform(kernel);
  SmallVector<Instruction*> barriers;
  for (Instruction& one : instructions(kernel))
    if (calls(one, barrier_name)) barriers.push_back(&one);
  SmallPtrSet<const BranchInst*, 8> asked;
  for (std::size_t i = 0; i < barriers.size(); ++i) {
    BranchInst* const branch = question_behind(*barriers[i], uniform);
    if (branch == nullptr || !asked.insert(branch).second) continue;
    for (const unsigned way : {0U, 1U}) {
      BasicBlock* const edge = SplitEdge(branch->getParent(), branch->getSuccessor(way));
      Instruction* const barrier = barriers[i]->clone();
      barrier->insertBefore(edge->getTerminator());
      barriers.push_back(barrier);
    }
  }
}

}  // namespace pintle::plugins::opencl_c
