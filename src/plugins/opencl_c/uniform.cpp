#include "plugins/opencl_c/uniform.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "plugins/opencl_c/builtins.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

/// What differs between items by itself. A load of one address by all items gives all of them one value: another item
/// that wrote there without a barrier in between would be a race. A private variable has one address for each item.
bool is_source(const Instruction& instruction) {
  if (dimension_of(instruction, local_id_name) || calls(instruction, subgroup_lane_name)) return true;
  if (isa<AllocaInst, AtomicRMWInst, AtomicCmpXchgInst, VAArgInst>(instruction)) return true;
  if (const auto* const load = dyn_cast<LoadInst>(&instruction)) return !load->isSimple();
  const auto* const call = dyn_cast<CallInst>(&instruction);
  if (call == nullptr || isa<IntrinsicInst>(call)) return false;
  return call->mayReadOrWriteMemory() && !calls(instruction, scratch_name);
}

}  // namespace

Uniform::Uniform(Function& function) : function_(function) {
  for (Argument& argument : function.args())
    if (argument.hasByValAttr()) mark(&argument);
  for (Instruction& instruction : instructions(function))
    if (is_source(instruction)) mark(&instruction);
  while (!work_.empty()) mark_users(work_.pop_back_val());
}

void Uniform::mark(const Value* value) {
  if (varying_.insert(value).second) work_.push_back(value);
}

void Uniform::mark_users(const Value* value) {
  for (const User* const user : value->users()) {
    const auto* const instruction = dyn_cast<Instruction>(user);
    if (instruction == nullptr) continue;
    if (!instruction->getType()->isVoidTy()) mark(instruction);
    if (instruction->isTerminator() && instruction->getNumSuccessors() > 1)
      mark_joins(*const_cast<BasicBlock*>(instruction->getParent()));
  }
}

/// Items part at the branch and meet again at its post-dominator. What they bring along differs: phis on the way and at
/// the meeting, and what was computed on the way in different rounds of a loop.
void Uniform::mark_joins(BasicBlock& branch) {
  PostDominatorTree tree(function_);
  const auto* const node = tree.getNode(&branch);
  const BasicBlock* const meeting =
      node == nullptr || node->getIDom() == nullptr ? nullptr : node->getIDom()->getBlock();
  SmallPtrSet<const BasicBlock*, 16> way;
  SmallVector<const BasicBlock*> work(succ_begin(&branch), succ_end(&branch));
  while (!work.empty()) {
    const BasicBlock* const block = work.pop_back_val();
    if (block == meeting || !way.insert(block).second) continue;
    work.append(succ_begin(block), succ_end(block));
  }
  ways_.insert(way.begin(), way.end());
  for (const BasicBlock* const block : way) {
    for (const Instruction& instruction : *block) {
      const bool leaves = any_of(instruction.users(),
                                 [&](const User* user) { return !way.contains(cast<Instruction>(user)->getParent()); });
      if (isa<PHINode>(instruction) || leaves) mark(&instruction);
    }
  }
  if (meeting == nullptr) return;
  for (const PHINode& phi : meeting->phis()) mark(&phi);
}

}  // namespace pintle::plugins::opencl_c
