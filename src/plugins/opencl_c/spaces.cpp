#include "plugins/opencl_c/spaces.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "plugins/opencl_c/arguments.h"
#include "plugins/opencl_c/builtins.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

enum Space : std::uint32_t { none, in_private, in_local, in_global };  // a null pointer points to none

constexpr std::uint64_t local_fence = 1, global_fence = 2;  // CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE

/// What a pointer was made of: itself, or the pointer whose bytes it counts from.
Value* origin_of(Value* pointer) {
  while (auto* const step = dyn_cast<GEPOperator>(pointer)) pointer = step->getPointerOperand();
  return pointer;
}

class Spaces {
 public:
  explicit Spaces(const Entry& entry) : entry_(entry) {}

  /// The space as a number of 32 bits; null: the code does not show it.
  Value* of(Value* pointer) {
    DenseSet<const Value*> seen;
    return is_known(pointer, seen) ? number_of(pointer) : nullptr;
  }

 private:
  static ConstantInt* number(const Value& pointer, Space space) {
    return ConstantInt::get(Type::getInt32Ty(pointer.getContext()), space);
  }

  /// The space of what begins here; null: it is one of several, or not shown.
  ConstantInt* space_of_origin(const Value& origin) const {
    if (isa<ConstantPointerNull>(origin) || isa<UndefValue>(origin)) return number(origin, none);
    if (isa<AllocaInst>(origin)) return number(origin, in_private);
    if (const auto* const variable = dyn_cast<GlobalVariable>(&origin))
      return number(origin, is_local(*variable) ? in_local : in_global);
    const auto* const argument = dyn_cast<Argument>(&origin);
    if (argument == nullptr) return nullptr;
    if (argument->hasByValAttr()) return number(origin, in_private);
    const std::size_t index = argument->getArgNo();
    const bool is_scratch =
        index >= entry_.parameters.size() || entry_.parameters[index].kind == Parameter::Kind::local;
    return number(origin, is_scratch ? in_local : in_global);
  }

  bool is_known(Value* pointer, DenseSet<const Value*>& seen) const {
    Value* const origin = origin_of(pointer);
    if (!seen.insert(origin).second || space_of_origin(*origin) != nullptr) return true;
    if (auto* const choice = dyn_cast<SelectInst>(origin))
      return is_known(choice->getTrueValue(), seen) && is_known(choice->getFalseValue(), seen);
    const auto* const phi = dyn_cast<PHINode>(origin);
    return phi != nullptr && all_of(phi->incoming_values(), [&](const Use& one) { return is_known(one.get(), seen); });
  }

  Value* number_of(Value* pointer) {
    Value* const origin = origin_of(pointer);
    if (ConstantInt* const space = space_of_origin(*origin)) return space;
    if (const auto old = numbers_.find(origin); old != numbers_.end()) return old->second;
    if (auto* const choice = dyn_cast<SelectInst>(origin)) {
      Value *const yes = number_of(choice->getTrueValue()), *const no = number_of(choice->getFalseValue());
      return numbers_[origin] = IRBuilder<>(choice).CreateSelect(choice->getCondition(), yes, no);
    }
    auto* const phi = cast<PHINode>(origin);
    PHINode* const space = IRBuilder<>(phi).CreatePHI(IRBuilder<>(phi).getInt32Ty(), phi->getNumIncomingValues());
    numbers_[origin] = space;  // before its values, which may come around a loop
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
      space->addIncoming(number_of(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
    return space;
  }

  const Entry& entry_;
  DenseMap<const Value*, Value*> numbers_;
};

/// The space that a function asks for; empty: it is none of these functions.
std::optional<Space> asked(const CallInst& call) {
  if (calls(call, "__to_global")) return in_global;
  if (calls(call, "__to_local")) return in_local;
  if (calls(call, "__to_private")) return in_private;
  const Function* const callee = call.getCalledFunction();
  const bool is_fence = callee != nullptr && callee->getName().starts_with("_Z9get_fence");
  return is_fence ? std::optional(none) : std::nullopt;
}

Value* answer(CallInst& call, Space wanted, Value* space) {
  IRBuilder<> builder(&call);
  const auto is = [&](Space one) { return builder.CreateICmpEQ(space, builder.getInt32(one)); };
  if (wanted == none)
    return builder.CreateSelect(is(in_local), ConstantInt::get(call.getType(), local_fence),
                                ConstantInt::get(call.getType(), global_fence));
  Value* const pointer = call.getArgOperand(0);
  return builder.CreateSelect(is(wanted), pointer, Constant::getNullValue(pointer->getType()));
}

}  // namespace

void resolve_spaces(Function& kernel, const Entry& entry) {
  SmallVector<std::pair<CallInst*, Space>> all;
  for (Instruction& instruction : instructions(kernel))
    if (auto* const call = dyn_cast<CallInst>(&instruction))
      if (const auto space = asked(*call)) all.emplace_back(call, *space);
  for (const auto& [call, wanted] : all) {
    // Each begins anew, since the one before may have become a choice.
    Value* const space = Spaces(entry).of(call->getArgOperand(0));
    if (space == nullptr) continue;
    call->replaceAllUsesWith(answer(*call, wanted, space));
    call->eraseFromParent();
  }
  if (!all.empty()) simplify(kernel);
}

}  // namespace pintle::plugins::opencl_c
