#include "plugins/opencl_c/interchange.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "plugins/opencl_c/builtins.h"
#include "plugins/opencl_c/even.h"
#include "plugins/opencl_c/strides.h"
#include "plugins/opencl_c/uniform.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

constexpr std::uint64_t least_items = 8;  // in x: a vector

/// Every item runs the loop as often, and comes to it.
bool is_alike(const Loop& loop, const Uniform& uniform) {
  auto* const latch = loop.getLoopLatch();
  if (latch == nullptr || loop.getLoopPreheader() == nullptr || loop.getExitingBlock() != latch ||
      loop.getExitBlock() == nullptr)
    return false;
  const auto* const branch = dyn_cast<BranchInst>(latch->getTerminator());
  return branch != nullptr && uniform.holds(branch->getCondition()) && !uniform.is_way(*loop.getHeader());
}

void put_barrier(Instruction* before, Function& barrier) { CallInst::Create(&barrier, "", before)->setConvergent(); }

/// Before the first round, behind each round, and on both ways from the question whether there is another one.
void put_barriers(BasicBlock* preheader, BasicBlock* header, BasicBlock* latch, BasicBlock* exit, Function& barrier) {
  put_barrier(preheader->getTerminator(), barrier);
  put_barrier(latch->getTerminator(), barrier);
  BasicBlock* const question = SplitBlock(latch, latch->getTerminator());
  put_barrier(SplitEdge(question, header)->getTerminator(), barrier);
  put_barrier(SplitEdge(question, exit)->getTerminator(), barrier);
}

/// A loop's preheader, header, latch and exit.
using Turned = std::array<BasicBlock*, 4>;

SmallVector<Turned> find_loops(Function& kernel, const Entry& entry) {
  SmallVector<Turned> chosen;
  if (entry.group[0] < least_items) return chosen;
  const DominatorTree tree(kernel);
  const LoopInfo loops(tree);
  const Uniform uniform(kernel);
  for (const Loop* const loop : loops.getLoopsInPreorder()) {
    if (loop->isInnermost() && is_alike(*loop, uniform) && is_worth_turning(*loop, uniform))
      chosen.push_back({loop->getLoopPreheader(), loop->getHeader(), loop->getLoopLatch(), loop->getExitBlock()});
  }
  return chosen;
}

}  // namespace

bool has_loops_to_turn(Function& kernel, const Entry& entry) {
  return !find_loops(kernel, entry).empty() || (entry.group[0] >= least_items && has_uneven_loops(kernel));
}

void turn_loops(Function& kernel, const Entry& entry) {
  if (entry.group[0] >= least_items) even_loops(kernel);
  const auto chosen = find_loops(kernel, entry);
  if (chosen.empty()) return;
  Module& module = *kernel.getParent();
  FunctionCallee barrier = module.getOrInsertFunction(barrier_name, Type::getVoidTy(module.getContext()));
  for (const auto& [preheader, header, latch, exit] : chosen)
    put_barriers(preheader, header, latch, exit, *cast<Function>(barrier.getCallee()));
}

}  // namespace pintle::plugins::opencl_c
