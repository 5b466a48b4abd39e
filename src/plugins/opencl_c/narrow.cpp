#include "plugins/opencl_c/narrow.h"

#include "plugins/opencl_c/builtins.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

constexpr unsigned most_blocks = 8;

bool is_without_effects(const BasicBlock& block) {
  return all_of(block, [](const Instruction& one) {
    if (one.isTerminator()) return true;
    const auto* const load = dyn_cast<LoadInst>(&one);
    return !one.mayHaveSideEffects() && (load == nullptr || load->isSimple());
  });
}

struct Arrival {
  std::optional<unsigned> next;
};

/// Where an item comes to from `block` on, if it does nothing on the way.
std::optional<Arrival> arrival_of(const BasicBlock* block, const Cut& cut) {
  for (unsigned i = 0; i < most_blocks && block != nullptr; ++i) {
    if (const auto found = cut.behind.find(block); found != cut.behind.end()) {
      for (const Instruction& one : *block)
        if (one.mayHaveSideEffects() && !calls(one, barrier_name)) return std::nullopt;
      return Arrival{found->second};
    }
    if (!is_without_effects(*block)) return std::nullopt;
    if (isa<ReturnInst>(block->getTerminator())) return Arrival{};
    block = block->getUniqueSuccessor();
  }
  return std::nullopt;
}

/// The value of an integer of any width in 64 bits, far from where a sum would wrap around.
Value* widened(Value* value, bool is_signed, IRBuilder<>& builder) {
  auto* const wide = builder.getInt64Ty();
  if (value->getType() != wide) return is_signed ? builder.CreateSExt(value, wide) : builder.CreateZExt(value, wide);
  Value* const most = builder.getInt64(std::int64_t{1} << 62);
  if (!is_signed) return builder.CreateBinaryIntrinsic(Intrinsic::umin, value, most);
  Value* const least = builder.getInt64(-(std::int64_t{1} << 62));
  return builder.CreateBinaryIntrinsic(Intrinsic::smax, builder.CreateBinaryIntrinsic(Intrinsic::smin, value, most),
                                       least);
}

/// An item number that a comparison gives, within the group.
Value* within(Value* item, Value* size, IRBuilder<>& builder) {
  Value* const positive = builder.CreateBinaryIntrinsic(Intrinsic::smax, item, builder.getInt64(0));
  return builder.CreateBinaryIntrinsic(Intrinsic::umin, positive, size);
}

}  // namespace

Narrow find_narrow(const Region& region, const Cut& cut, const Places& places) {
  Narrow narrow;
  std::optional<Arrival> arrival;
  const auto is_common = [&](const Value* value) {
    const auto* const load = dyn_cast<LoadInst>(value);
    return load != nullptr && any_of(cut.slots, [&](const Slot& slot) {
             return slot.is_uniform && slot.variable == load->getPointerOperand();
           });
  };
  const BasicBlock* block = region.begin;
  for (unsigned i = 0; i < most_blocks && is_without_effects(*block); ++i) {
    const auto* const branch = dyn_cast<BranchInst>(block->getTerminator());
    if (branch == nullptr) break;
    const BasicBlock* through = branch->getSuccessor(0);
    if (branch->isConditional()) {
      bool is_first = true;
      auto out = arrival_of(branch->getSuccessor(1), cut);
      if (!out) {
        is_first = false;
        through = branch->getSuccessor(1);
        out = arrival_of(branch->getSuccessor(0), cut);
      }
      if (!out || (arrival && arrival->next != out->next)) break;
      arrival = out;
      add_leaves(branch->getCondition(), is_first, [&](ICmpInst& compare, bool answer) {
        if (const auto bound = places.bound_of(compare, answer, is_common))
          narrow.leaves.push_back({&compare, answer, *bound});
      });
    }
    if (through->getSinglePredecessor() == nullptr) break;
    block = through;
  }
  if (arrival) narrow.next = arrival->next;
  return narrow;
}

void narrow(Range& range, const Bound& bound, Value* first_place, Value* limit, Value* size, IRBuilder<>& builder) {
  const bool is_signed = ICmpInst::isSigned(bound.predicate);
  Value* const at = builder.CreateSub(widened(limit, is_signed, builder), widened(first_place, is_signed, builder));
  Value* const next = builder.CreateAdd(at, builder.getInt64(1));
  const auto begin_at = [&](Value* item) {
    Value* const first = within(item, size, builder);
    range.first = range.first == nullptr ? first : builder.CreateBinaryIntrinsic(Intrinsic::umax, range.first, first);
  };
  const auto end_at = [&](Value* item) {
    Value* const last = within(item, size, builder);
    range.last = range.last == nullptr ? last : builder.CreateBinaryIntrinsic(Intrinsic::umin, range.last, last);
  };
  switch (bound.predicate) {
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_ULT: return end_at(at);
    case CmpInst::ICMP_SLE:
    case CmpInst::ICMP_ULE: return end_at(next);
    case CmpInst::ICMP_SGT:
    case CmpInst::ICMP_UGT: return begin_at(next);
    case CmpInst::ICMP_SGE:
    case CmpInst::ICMP_UGE: return begin_at(at);
    default: begin_at(at); return end_at(next);
  }
}

}  // namespace pintle::plugins::opencl_c
