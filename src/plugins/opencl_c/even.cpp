#include "plugins/opencl_c/even.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>
#include <utility>

#include "plugins/opencl_c/builtins.h"
#include "plugins/opencl_c/strides.h"
#include "plugins/opencl_c/uniform.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;
using namespace llvm::PatternMatch;

/// An item's place in x, and what is added to it, each extended to the width of the sum as the comparison's sign asks.
struct Place {
  SmallVector<Value*, 2> added;
  bool is_known = false;
};

/// Such a loop as the optimizer leaves it: behind a guard that only items with a first round pass, with its question at
/// the end of a round.
struct Uneven {
  BranchInst* guard = nullptr;
  BasicBlock *before = nullptr, *header = nullptr, *latch = nullptr, *exit = nullptr;
  PHINode* counter = nullptr;
  Value *step = nullptr, *limit = nullptr, *guard_limit = nullptr;
  CmpInst::Predicate predicate = CmpInst::BAD_ICMP_PREDICATE;  // of the counter and the limit, for another round
  Place guarded, first;                                        // what the guard compares; what the counter begins with
};

Value* without_extension(Value* value, bool is_signed) {
  Value* inner = nullptr;
  return is_signed ? (match(value, m_SExt(m_Value(inner))) ? inner : value)
                   : (match(value, m_ZExt(m_Value(inner))) ? inner : value);
}

/// The place in x, of 64 bits or fewer: there are fewer than 2^31.
bool is_own_place(Value* value) {
  Value* inner = nullptr;
  if (match(value, m_AShr(m_Shl(m_Value(inner), m_SpecificInt(32)), m_SpecificInt(32))) ||
      match(value, m_And(m_Value(inner), m_SpecificInt(0xffffffff))) || match(value, m_Trunc(m_Value(inner))) ||
      match(value, m_ZExtOrSExt(m_Value(inner))))
    return value->getType()->getIntegerBitWidth() >= 32 && is_own_place(inner);
  const auto* const instruction = dyn_cast<Instruction>(value);
  return instruction != nullptr && dimension_of(*instruction, local_id_name) == 0U;
}

/// Sums that may wrap around are not known.
Place place_of(Value* value, bool is_signed, const Uniform& uniform) {
  if (is_own_place(value)) return {{}, true};
  value = without_extension(value, is_signed);
  const auto* const sum = dyn_cast<BinaryOperator>(value);
  if (sum == nullptr) return is_own_place(value) ? Place{{}, true} : Place{};
  const auto* const disjoint = dyn_cast<PossiblyDisjointInst>(sum);
  const bool is_or = disjoint != nullptr && disjoint->isDisjoint();
  if (!is_or &&
      (sum->getOpcode() != Instruction::Add || !(is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap())))
    return {};
  Value *own = sum->getOperand(0), *other = sum->getOperand(1);
  if (uniform.holds(own)) std::swap(own, other);
  if (!uniform.holds(other)) return {};
  Place place = place_of(own, is_signed, uniform);
  place.added.push_back(without_extension(other, is_signed));
  return place;
}

bool is_order(CmpInst::Predicate predicate) {
  return predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_SLE || predicate == CmpInst::ICMP_ULT ||
         predicate == CmpInst::ICMP_ULE;
}

struct Question {
  Value *what = nullptr, *limit = nullptr;
  CmpInst::Predicate predicate = CmpInst::BAD_ICMP_PREDICATE;
};

/// What holds on the way to `yes`, with `what` on the left.
Question question_of(const BranchInst& branch, const BasicBlock* yes, const Uniform& uniform) {
  auto* const compare = branch.isConditional() ? dyn_cast<ICmpInst>(branch.getCondition()) : nullptr;
  if (compare == nullptr) return {};
  auto predicate = branch.getSuccessor(0) == yes ? compare->getPredicate() : compare->getInversePredicate();
  Value *what = compare->getOperand(0), *limit = compare->getOperand(1);
  if (uniform.holds(what)) {
    std::swap(what, limit);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  return is_order(predicate) && uniform.holds(limit) ? Question{what, limit, predicate} : Question{};
}

/// A step that never goes back.
bool is_forward(const Value* step, const DataLayout& layout) {
  const auto* const call = dyn_cast<Instruction>(step);
  if (call != nullptr && dimension_of(*call, local_size_name)) return true;
  return isKnownNonNegative(step, SimplifyQuery(layout));
}

bool same(Value* a, Value* b, bool is_signed) {
  a = without_extension(a, is_signed);
  b = without_extension(b, is_signed);
  const auto *x = dyn_cast<ConstantInt>(a), *y = dyn_cast<ConstantInt>(b);
  if (x == nullptr || y == nullptr) return a == b;
  return is_signed ? x->getSExtValue() == y->getSExtValue() : x->getZExtValue() == y->getZExtValue();
}

/// Whether items pass the guard exactly where the first round's counter is within the limit.
bool is_guarded(const Uneven& loop, bool is_signed) {
  if (!loop.guarded.is_known || !loop.first.is_known || loop.guarded.added.size() != loop.first.added.size())
    return false;
  for (std::size_t i = 0; i < loop.first.added.size(); ++i)
    if (!same(loop.first.added[i], loop.guarded.added[i], is_signed)) return false;
  return same(loop.limit, loop.guard_limit, is_signed);
}

/// Behind the loop, an item without a round has what it would have brought into the first one.
bool leaves_what_it_carries(const Uneven& loop) {
  const BasicBlock* const around = loop.guard->getParent();
  return all_of(loop.exit->phis(), [&](const PHINode& phi) {
    const Value* const last = phi.getIncomingValueForBlock(loop.latch);
    return any_of(loop.header->phis(), [&](const PHINode& carried) {
      return &carried != loop.counter && carried.getIncomingValueForBlock(loop.latch) == last &&
             carried.getIncomingValueForBlock(loop.before) == phi.getIncomingValueForBlock(around);
    });
  });
}

bool find_guard(Uneven& found, const Loop& loop) {
  found.before = loop.getLoopPreheader();
  found.header = loop.getHeader();
  found.latch = loop.getLoopLatch();
  found.exit = loop.getExitBlock();
  if (found.before == nullptr || found.latch == nullptr || found.exit == nullptr ||
      loop.getExitingBlock() != found.latch)
    return false;
  BasicBlock* const around = found.before->getSinglePredecessor();
  found.guard = around == nullptr ? nullptr : dyn_cast<BranchInst>(around->getTerminator());
  if (found.guard == nullptr || !found.guard->isConditional()) return false;
  const auto leads = [&](BasicBlock* to) { return is_contained(found.guard->successors(), to); };
  return leads(found.before) && leads(found.exit) && pred_size(found.exit) == 2;
}

/// The preheader runs for items without a round, too.
bool may_run_early(const BasicBlock& block) {
  return all_of(block, [](const Instruction& one) { return one.isTerminator() || isSafeToSpeculativelyExecute(&one); });
}

/// Whether the counter may wrap around before it is at the limit. An item that is through counts on as long as the
/// first one does, up to a group beyond the limit: 64 bits have room for that, 32 may not.
bool may_wrap(const BinaryOperator& next, const Value* limit, bool is_signed) {
  if (next.getType()->getIntegerBitWidth() < 64) return true;
  if (is_signed ? next.hasNoSignedWrap() : next.hasNoUnsignedWrap()) return false;
  const SimplifyQuery query(next.getModule()->getDataLayout());
  return is_signed || !isKnownNonNegative(limit, query);
}

std::optional<Uneven> find_uneven(const Loop& loop, const Uniform& uniform) {
  Uneven found;
  if (!loop.isInnermost() || !find_guard(found, loop) || !may_run_early(*found.before)) return std::nullopt;
  const auto* const branch = dyn_cast<BranchInst>(found.latch->getTerminator());
  if (branch == nullptr || uniform.holds(branch->getCondition())) return std::nullopt;
  const Question again = question_of(*branch, found.header, uniform);
  const Question at_first = question_of(*found.guard, found.before, uniform);
  Value *counter = nullptr, *step = nullptr;
  if (again.what == nullptr || at_first.predicate != again.predicate ||
      !match(again.what, m_Add(m_Value(counter), m_Value(step))))
    return std::nullopt;
  if (!isa<PHINode>(counter)) std::swap(counter, step);
  found.counter = dyn_cast<PHINode>(counter);
  const DataLayout& layout = found.header->getModule()->getDataLayout();
  if (found.counter == nullptr || found.counter->getParent() != found.header || !uniform.holds(step) ||
      !loop.isLoopInvariant(step) || !loop.isLoopInvariant(again.limit) || !is_forward(step, layout) ||
      found.counter->getIncomingValueForBlock(found.latch) != again.what)
    return std::nullopt;
  const bool is_signed = CmpInst::isSigned(again.predicate);
  if (may_wrap(*cast<BinaryOperator>(again.what), again.limit, is_signed)) return std::nullopt;
  found.step = step;
  found.limit = again.limit;
  found.guard_limit = at_first.limit;
  found.predicate = again.predicate;
  found.guarded = place_of(at_first.what, is_signed, uniform);
  found.first = place_of(found.counter->getIncomingValueForBlock(found.before), is_signed, uniform);
  if (!is_guarded(found, is_signed) || !leaves_what_it_carries(found) || !is_worth_turning(loop, uniform))
    return std::nullopt;
  return found;
}

std::optional<Uneven> find_uneven(Function& kernel) {
  const DominatorTree tree(kernel);
  const LoopInfo loops(tree);
  const Uniform uniform(kernel);
  for (const Loop* const loop : loops.getLoopsInPreorder())
    if (auto found = find_uneven(*loop, uniform)) return found;
  return std::nullopt;
}

/// The place of the group's first item.
Value* first_of(const Place& place, Type* type, bool is_signed, IRBuilder<>& builder) {
  Value* sum = ConstantInt::get(type, 0);
  for (Value* const added : place.added) sum = builder.CreateAdd(sum, builder.CreateIntCast(added, type, is_signed));
  return sum;
}

/// The value that an exit's phi has of the loop, as what is carried from round to round.
PHINode& carried_to(const PHINode& phi, const Uneven& loop) {
  const auto brings = [&](const PHINode& carried) {
    return &carried != loop.counter &&
           carried.getIncomingValueForBlock(loop.latch) == phi.getIncomingValueForBlock(loop.latch) &&
           carried.getIncomingValueForBlock(loop.before) == phi.getIncomingValueForBlock(loop.guard->getParent());
  };
  return *find_if(loop.header->phis(), brings);
}

/// Makes the loop that all items run, around the old one's body.
class Evening {
 public:
  explicit Evening(const Uneven& loop)
      : loop_(loop),
        is_signed_(CmpInst::isSigned(loop.predicate)),
        type_(loop.counter->getType()),
        round_(BasicBlock::Create(type_->getContext(), "round", loop.header->getParent(), loop.header)),
        rounded_(BasicBlock::Create(type_->getContext(), "rounded", loop.header->getParent(), loop.exit)),
        builder_(loop.guard) {
    for (PHINode& phi : loop.exit->phis()) leaving_.push_back({&phi, &carried_to(phi, loop)});
  }

  void make() {
    enter();
    begin_round();
    end_round();
    leave();
  }

 private:
  /// The group runs the loop where its first item does.
  void enter() {
    Value* const first = first_of(loop_.guarded, loop_.guard_limit->getType(), is_signed_, builder_);
    Value* const enters = builder_.CreateICmp(loop_.predicate, first, loop_.guard_limit);
    const bool is_yes = loop_.guard->getSuccessor(0) == loop_.before;
    loop_.guard->setCondition(is_yes ? enters : builder_.CreateNot(enters));
    builder_.SetInsertPoint(loop_.before->getTerminator());
    first_ = first_of(loop_.first, type_, is_signed_, builder_);
    loop_.before->getTerminator()->replaceSuccessorWith(loop_.header, round_);
  }

  void begin_round() {
    builder_.SetInsertPoint(round_);
    done_ = builder_.CreatePHI(type_, 2, "done");
    done_->addIncoming(ConstantInt::get(type_, 0), loop_.before);
    for (PHINode& phi : loop_.header->phis()) {
      if (&phi == loop_.counter) continue;
      PHINode* const now = builder_.CreatePHI(phi.getType(), 2);
      now->addIncoming(phi.getIncomingValueForBlock(loop_.before), loop_.before);
      carried_.push_back({&phi, now});
    }
    Value* const start = loop_.counter->getIncomingValueForBlock(loop_.before);
    Value* const counter = builder_.CreateAdd(start, done_);
    builder_.CreateCondBr(builder_.CreateICmp(loop_.predicate, counter, loop_.limit), loop_.header, rounded_);
    loop_.counter->replaceAllUsesWith(counter);
    for (const auto& [old, now] : carried_) old->replaceAllUsesWith(now);
  }

  void end_round() {
    builder_.SetInsertPoint(rounded_);
    for (const auto& [old, now] : carried_) {
      PHINode* const next = builder_.CreatePHI(now->getType(), 2);
      next->addIncoming(now, round_);
      next->addIncoming(old->getIncomingValueForBlock(loop_.latch), loop_.latch);
      now->addIncoming(next, rounded_);
    }
    Value* const done = builder_.CreateAdd(done_, loop_.step);
    done_->addIncoming(done, rounded_);
    Value* const again = builder_.CreateICmp(loop_.predicate, builder_.CreateAdd(first_, done), loop_.limit);
    builder_.CreateCondBr(again, round_, loop_.exit);
  }

  void leave() {
    for (const auto& [phi, old] : leaving_) {
      const auto* const found = find_if(carried_, [&, from = old](const auto& pair) { return pair.first == from; });
      const int index = phi->getBasicBlockIndex(loop_.latch);
      phi->setIncomingBlock(static_cast<unsigned>(index), rounded_);
      phi->setIncomingValue(static_cast<unsigned>(index), found->second->getIncomingValueForBlock(rounded_));
    }
    loop_.latch->getTerminator()->eraseFromParent();
    BranchInst::Create(rounded_, loop_.latch);
    loop_.counter->eraseFromParent();
    for (const auto& [old, now] : carried_) old->eraseFromParent();
  }

  const Uneven& loop_;
  const bool is_signed_;
  Type* const type_;
  BasicBlock *const round_, *const rounded_;
  IRBuilder<> builder_;
  SmallVector<std::pair<PHINode*, PHINode*>> carried_, leaving_;
  PHINode* done_ = nullptr;  // steps of the rounds before
  Value* first_ = nullptr;   // the first item's first counter
};

}  // namespace

bool has_uneven_loops(Function& kernel) { return find_uneven(kernel).has_value(); }

void even_loops(Function& kernel) {
  while (const auto loop = find_uneven(kernel)) Evening(*loop).make();
}

}  // namespace pintle::plugins::opencl_c
