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
  if (isa<AllocaInst>(one) || one.mayHaveSideEffects()) return false;
  if (dimension_of(one, local_id_name) || calls(one, subgroup_lane_name)) return false;
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

/// What items of one subgroup have in common may differ between subgroups: null where there is one only.
Function* cut_of(Function& kernel) {
  Function* const cut = kernel.getParent()->getFunction(subgroup_cut_name);
  const auto is_one = [](const Instruction& one) { return calls(one, subgroup_cut_name); };
  return any_of(instructions(kernel), is_one) ? cut : nullptr;
}

}  // namespace

void split_questions(Function& kernel) {
  const Uniform uniform(kernel);
  SmallVector<Instruction*> barriers;
  for (Instruction& one : instructions(kernel))
    if (is_cut(one)) barriers.push_back(&one);
  Function* const cut = cut_of(kernel);
  SmallPtrSet<const BranchInst*, 8> asked;
  for (std::size_t i = 0; i < barriers.size(); ++i) {
    BranchInst* const branch = question_behind(*barriers[i], uniform);
    if (branch == nullptr || !asked.insert(branch).second) continue;
    for (const unsigned way : {0U, 1U}) {
      BasicBlock* const edge = SplitEdge(branch->getParent(), branch->getSuccessor(way));
      auto* const barrier = cast<CallInst>(barriers[i]->clone());
      if (cut != nullptr) barrier->setCalledFunction(cut);
      barrier->insertBefore(edge->getTerminator());
      barriers.push_back(barrier);
    }
  }
}

}  // namespace pintle::plugins::opencl_c
