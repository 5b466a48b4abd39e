#include "plugins/opencl_c/loops.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

namespace pintle::plugins::opencl_c {

using namespace llvm;

namespace {

constexpr std::uint64_t least_vector = 8;
constexpr std::uint64_t most_unrolled = 64;  // items in x; LLVM leaves longer loops as they are

/// A loop that is unrolled whole, as LLVM likes it, becomes no vectors. What a loop of vectors becomes is LLVM's
/// affair.
void add_vector_hints(LLVMContext& context, SmallVectorImpl<Metadata*>& parts) {
  const auto text = [&](const char* name) { return MDString::get(context, name); };
  auto* const one = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1));
  MDNode* const done = MDNode::get(context, {text("llvm.loop.isvectorized"), one});
  parts.push_back(MDNode::get(context, {text("llvm.loop.unroll.disable")}));
  parts.push_back(MDNode::get(context, {text("llvm.loop.vectorize.followup_vectorized"), done}));
}

/// Behind it, each dimension has an item.
void skip_if_empty(IRBuilder<>& builder, Function& function, const std::array<std::uint64_t, 3>& group,
                   BasicBlock* after, const std::array<Range, 3>& ranges) {
  for (unsigned d = 0; d < 3; ++d) {
    if (ranges[d].first == nullptr && ranges[d].last == nullptr) continue;
    Value* const first = ranges[d].first != nullptr ? ranges[d].first : builder.getInt64(0);
    Value* const last = ranges[d].last != nullptr ? ranges[d].last : builder.getInt64(group[d]);
    auto* const some = BasicBlock::Create(function.getContext(), "some", &function);
    builder.CreateCondBr(builder.CreateICmpULT(first, last), some, after);
    builder.SetInsertPoint(some);
  }
}

}  // namespace

ItemLoops::ItemLoops(IRBuilder<>& builder, Function& function, const std::array<std::uint64_t, 3>& group,
                     BasicBlock* after, const std::array<Range, 3>& ranges, bool of_rows) {
  LLVMContext& context = function.getContext();
  skip_if_empty(builder, function, group, after, ranges);
  Type* const number = builder.getInt32Ty();  // as loops in C have it: LLVM widens it where that is of use
  std::array<PHINode*, 3> places{};
  std::array<Value*, 3> lasts{};
  for (unsigned d = 0; d < 3; ++d)
    if (ranges[d].last != nullptr) lasts[d] = builder.CreateTrunc(ranges[d].last, number);
  const auto has_loop = [&](unsigned d) { return group[d] > 1 || (d == 0 && of_rows); };
  BasicBlock* exit = after;
  std::array<BasicBlock*, 3> latches{}, heads{};
  for (unsigned d = 3; d-- > 0;) {  // z, y, x
    Value* const first =
        ranges[d].first != nullptr ? builder.CreateTrunc(ranges[d].first, number) : builder.getInt32(0);
    items_[d] = builder.getInt64(0);
    if (!has_loop(d)) continue;
    heads[d] = BasicBlock::Create(context, "item", &function);
    latches[d] = BasicBlock::Create(context, "item.next", &function);
    BasicBlock* const before = builder.GetInsertBlock();
    builder.CreateBr(heads[d]);
    builder.SetInsertPoint(heads[d]);
    places[d] = builder.CreatePHI(number, 2);
    places[d]->addIncoming(first, before);
    items_[d] = builder.CreateZExt(places[d], builder.getInt64Ty(), "", true);
  }
  // The loops end from the outermost on: each one's exit is the latch of the loop around it.
  for (unsigned d = 3; d-- > 0;) {
    if (!has_loop(d)) continue;
    IRBuilder<> latch(latches[d]);
    Value* const next = latch.CreateAdd(places[d], latch.getInt32(1), "", true, true);
    places[d]->addIncoming(next, latches[d]);
    Value* const last = lasts[d] != nullptr ? lasts[d] : latch.getInt32(group[d]);
    ends_.push_back(latch.CreateCondBr(latch.CreateICmpEQ(next, last), exit, heads[d]));
    exit = latches[d];
  }
  is_long_ =
      group[0] >= least_vector && group[0] <= most_unrolled && ranges[0].first == nullptr && ranges[0].last == nullptr;
  latch_ = exit;
  if (latch_ == after) {  // a single item
    latch_ = BasicBlock::Create(context, "item.end", &function);
    BranchInst::Create(after, latch_);
  }
  Value* const plane = builder.CreateAdd(builder.CreateMul(items_[2], builder.getInt64(group[1])), items_[1]);
  linear_ = builder.CreateAdd(builder.CreateMul(plane, builder.getInt64(group[0])), items_[0]);
}

void ItemLoops::mark_parallel(ArrayRef<Instruction*> accesses, bool address_is_lost) const {
  if (ends_.empty()) return;
  LLVMContext& context = ends_[0]->getContext();
  MDNode* const group = MDNode::getDistinct(context, {});
  for (Instruction* const access : accesses) {
    const Value* const pointer = getLoadStorePointerOperand(access);
    if (pointer == nullptr) continue;
    const Value* const object = getUnderlyingObject(pointer, 0);
    const bool is_own = isa<AllocaInst>(object) && !cast<AllocaInst>(object)->hasMetadata("pintle.shared");
    if (is_own || (address_is_lost && !isa<Argument, GlobalValue>(object)) || isa<PHINode, SelectInst>(object))
      continue;
    access->setMetadata(LLVMContext::MD_access_group, group);
  }
  for (BranchInst* const end : ends_) {
    MDNode* const parallel = MDNode::get(context, {MDString::get(context, "llvm.loop.parallel_accesses"), group});
    MDNode* const progress = MDNode::get(context, {MDString::get(context, "llvm.loop.mustprogress")});
    SmallVector<Metadata*> parts{nullptr, progress, parallel};
    if (end == ends_[0] && is_long_) add_vector_hints(context, parts);
    MDNode* const loop = MDNode::getDistinct(context, parts);
    loop->replaceOperandWith(0, loop);
    end->setMetadata(LLVMContext::MD_loop, loop);
  }
}

bool address_is_lost(const AllocaInst& variable) { return PointerMayBeCaptured(&variable, true, true); }

}  // namespace pintle::plugins::opencl_c
