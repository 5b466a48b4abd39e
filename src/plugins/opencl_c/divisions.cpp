#include "plugins/opencl_c/divisions.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

bool is_signed(const BinaryOperator& division) {
  return division.getOpcode() == Instruction::SDiv || division.getOpcode() == Instruction::SRem;
}

/// A number that the processor divides by: no zero, and no -1, which only as a constant alone becomes a negation.
bool is_safe_lane(const Constant* lane, bool may_overflow) {
  const auto* const number = dyn_cast_or_null<ConstantInt>(lane);
  return number != nullptr && !number->isZero() && !(may_overflow && number->isMinusOne());
}

bool is_safe(const BinaryOperator& division) {
  const auto* const divisor = dyn_cast<Constant>(division.getOperand(1));
  if (divisor == nullptr) return false;
  const auto* const vector = dyn_cast<FixedVectorType>(division.getType());
  if (vector == nullptr) return is_safe_lane(divisor, false);
  for (unsigned i = 0; i < vector->getNumElements(); ++i)
    if (!is_safe_lane(divisor->getAggregateElement(i), is_signed(division))) return false;
  return true;
}

/// One where the divisor would trap.
Value* safe_divisor(BinaryOperator& division) {
  IRBuilder<> builder(&division);
  Type* const type = division.getType();
  Value* const divisor = division.getOperand(1);
  Value* traps = builder.CreateICmpEQ(divisor, Constant::getNullValue(type));
  if (is_signed(division)) {
    Constant* const least = ConstantInt::get(type, APInt::getSignedMinValue(type->getScalarSizeInBits()));
    Value* const is_least = builder.CreateICmpEQ(division.getOperand(0), least);
    Value* const overflows =
        builder.CreateAnd(is_least, builder.CreateICmpEQ(divisor, Constant::getAllOnesValue(type)));
    traps = builder.CreateOr(traps, overflows);
  }
  return builder.CreateSelect(traps, ConstantInt::get(type, 1), divisor);
}

}  // namespace

void make_divisions_safe(Module& module) {
  for (Function& function : module) {
    for (Instruction& one : instructions(function)) {
      auto* const division = dyn_cast<BinaryOperator>(&one);
      if (division == nullptr || !division->isIntDivRem() || is_safe(*division)) continue;
      division->setOperand(1, safe_divisor(*division));
      division->dropPoisonGeneratingFlags();  // `exact` was said of another divisor
    }
  }
}

}  // namespace pintle::plugins::opencl_c
