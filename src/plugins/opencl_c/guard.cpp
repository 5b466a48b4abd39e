#include "plugins/opencl_c/guard.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "plugins/opencl_c/arguments.h"
#include "plugins/opencl_c/builtins.h"
#include "plugins/opencl_c/places.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

bool only_returns(const BasicBlock& block) { return isa<ReturnInst>(block.getFirstNonPHIOrDbg()); }

bool has_effects(const BasicBlock& block) {
  return any_of(block, [](const Instruction& one) { return one.mayHaveSideEffects(); });
}

}  // namespace

Guard find_guard(Function& kernel, const Entry& entry) {
  Guard guard;
  const Places places(entry, true);
  const auto add = [&](ICmpInst& compare, bool answer) {
    const auto bound = places.bound_of(compare, answer, [](const Value*) { return false; });
    if (bound && bound->predicate != CmpInst::ICMP_EQ) guard.emplace_back(&compare, answer);
  };
  BasicBlock* block = &kernel.getEntryBlock();
  while (!has_effects(*block)) {
    auto* const branch = dyn_cast<BranchInst>(block->getTerminator());
    if (branch == nullptr || !branch->isConditional()) break;
    const bool through_first = only_returns(*branch->getSuccessor(1));
    if (!through_first && !only_returns(*branch->getSuccessor(0))) break;
    add_leaves(branch->getCondition(), through_first, add);
    block = branch->getSuccessor(through_first ? 0 : 1);
    if (block->getSinglePredecessor() == nullptr) break;
  }
  return guard;
}

void open_guard(const Guard& guard) {
  for (const auto& [compare, answer] : guard)
    compare->replaceAllUsesWith(ConstantInt::getBool(compare->getContext(), answer));
}

namespace {

/// Whether a comparison has its answer at the group's first or last items.
Value* told_at_corner(const Guard::value_type& guard, bool is_last, IRBuilder<>& builder,
                      const DenseMap<Value*, Value*>& bound, const GroupIds& ids, const Entry& entry) {
  const auto known = [&](Value* value) -> Value* {
    if (const auto found = bound.find(value); found != bound.end()) return found->second;
    const auto& instruction = *cast<Instruction>(value);
    if (const auto d = dimension_of(instruction, local_id_name))
      return is_last ? builder.CreateSub(ids.size[*d], builder.getInt64(1)) : builder.getInt64(0);
    return group_value(instruction, builder, ids, entry);
  };
  Value* const told = computed_at(guard.first, builder, known);
  return guard.second ? told : builder.CreateNot(told);
}

/// Calls a version, which is to have registers of its own only where it runs, and returns.
void call_alone(IRBuilder<>& builder, Function& version) {
  Function* const chooser = builder.GetInsertBlock()->getParent();
  builder.CreateCall(&version, {chooser->getArg(0), chooser->getArg(1)})->setTailCall();
  builder.CreateRetVoid();
  version.setVisibility(GlobalValue::HiddenVisibility);  // not internal, or loads of ids move out and lose their ranges
  version.addFnAttr(Attribute::NoInline);
}

/// Calls one function or another, and returns.
void call_either(IRBuilder<>& builder, Value* condition, Function& yes, Function& no) {
  Function& chooser = *builder.GetInsertBlock()->getParent();
  auto* const then = BasicBlock::Create(chooser.getContext(), "yes", &chooser);
  auto* const otherwise = BasicBlock::Create(chooser.getContext(), "no", &chooser);
  builder.CreateCondBr(condition, then, otherwise);
  for (const auto& [block, callee] : {std::pair{otherwise, &no}, std::pair{then, &yes}}) {
    builder.SetInsertPoint(block);
    call_alone(builder, *callee);
  }
}

Value* is_near(IRBuilder<>& builder, const GroupIds& ids, const Entry& entry) {
  Value* all = builder.getTrue();
  for (unsigned d = 0; d < 3; ++d) {
    Value* const most = builder.CreateMul(ids.count[d], builder.getInt64(entry.group[d]));
    all = builder.CreateAnd(all, builder.CreateICmpULT(most, builder.getInt64(far)));
  }
  return all;
}

}  // namespace

void choose_version(Function& kernel, const Guard& guard, const Entry& entry, const Versions& versions) {
  auto* const chooser = Function::Create(versions.whole->getFunctionType(), GlobalValue::ExternalLinkage, entry.name,
                                         *kernel.getParent());
  chooser->copyAttributesFrom(versions.whole);
  IRBuilder<> builder(BasicBlock::Create(kernel.getContext(), "entry", chooser));
  const auto bound = bind_arguments(builder, kernel, *chooser, entry);
  const GroupIds ids = load_ids(builder, *chooser, entry, {false, versions.has_rows});
  Value* all = is_near(builder, ids, entry);
  if (versions.part == nullptr) return call_either(builder, all, *versions.whole, *versions.other);
  auto* const near = BasicBlock::Create(kernel.getContext(), "near", chooser);
  auto* const other = BasicBlock::Create(kernel.getContext(), "other", chooser);
  builder.CreateCondBr(all, near, other);
  builder.SetInsertPoint(other);
  call_alone(builder, *versions.other);
  builder.SetInsertPoint(near);
  all = builder.getTrue();
  for (const auto& leaf : guard) {
    for (const bool is_last : {false, true})
      all = builder.CreateAnd(all, told_at_corner(leaf, is_last, builder, bound, ids, entry));
  }
  call_either(builder, all, *versions.whole, *versions.part);
}

}  // namespace pintle::plugins::opencl_c
