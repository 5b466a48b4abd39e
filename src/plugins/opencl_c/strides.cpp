#include "plugins/opencl_c/strides.h"

#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "plugins/opencl_c/builtins.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

constexpr unsigned most_values = 8;  // that a round hands to the next for each item
constexpr std::int64_t unknown_stride = INT64_MIN;

/// How far a value goes from an item to its neighbour in x.
class Strides {
 public:
  Strides(const Uniform& uniform, const DataLayout& layout) : uniform_(uniform), layout_(layout) {}

  std::int64_t of(const Value* value, unsigned depth = 0) {
    if (uniform_.holds(value)) return 0;
    const auto* const instruction = dyn_cast<Instruction>(value);
    if (instruction == nullptr || depth > 16) return unknown_stride;
    if (const auto d = dimension_of(*instruction, local_id_name)) return *d == 0 ? 1 : 0;
    if (const auto* const phi = dyn_cast<PHINode>(instruction)) return of(phi->getIncomingValue(0), depth + 1);
    if (isa<ZExtInst, SExtInst, TruncInst, FreezeInst>(instruction)) return of(instruction->getOperand(0), depth + 1);
    if (const auto* const address = dyn_cast<GetElementPtrInst>(instruction)) return of_address(*address, depth);
    return isa<BinaryOperator>(instruction) ? of_operation(*cast<BinaryOperator>(instruction), depth) : unknown_stride;
  }

 private:
  std::int64_t of_operation(const BinaryOperator& operation, unsigned depth) {
    const std::int64_t a = of(operation.getOperand(0), depth + 1), b = of(operation.getOperand(1), depth + 1);
    if (a == unknown_stride || b == unknown_stride) return unknown_stride;
    const auto* const constant = dyn_cast<ConstantInt>(operation.getOperand(1));
    switch (operation.getOpcode()) {
      case Instruction::Add:
      case Instruction::Or: return a + b;
      case Instruction::Sub: return a - b;
      case Instruction::Mul:
        return constant != nullptr ? a * constant->getSExtValue() : a == 0 && b == 0 ? 0 : unknown_stride;
      case Instruction::Shl:
        return constant != nullptr ? a << constant->getZExtValue() : a == 0 && b == 0 ? 0 : unknown_stride;
      case Instruction::AShr:  // of what was shifted up before: a sign extension
        return constant != nullptr ? a >> constant->getZExtValue() : a == 0 && b == 0 ? 0 : unknown_stride;
      case Instruction::And:
        return constant != nullptr && constant->getZExtValue() == 0xffffffff ? a
               : a == 0 && b == 0                                            ? 0
                                                                             : unknown_stride;
      default: return a == 0 && b == 0 ? 0 : unknown_stride;
    }
  }

  std::int64_t of_address(const GetElementPtrInst& address, unsigned depth) {
    std::int64_t sum = of(address.getPointerOperand(), depth + 1);
    for (auto type = gep_type_begin(address); type != gep_type_end(address) && sum != unknown_stride; ++type) {
      const std::int64_t index = of(type.getOperand(), depth + 1);
      if (index == unknown_stride || (type.isStruct() && index != 0)) return unknown_stride;
      if (!type.isStruct())
        sum += index * static_cast<std::int64_t>(type.getSequentialElementStride(layout_).getFixedValue());
    }
    return sum;
  }

  const Uniform& uniform_;
  const DataLayout& layout_;
};

Type* type_of(const Instruction& access) {
  const auto* const store = dyn_cast<StoreInst>(&access);
  return store != nullptr ? store->getValueOperand()->getType() : access.getType();
}

}  // namespace

bool is_worth_turning(const Loop& loop, const Uniform& uniform) {
  const DataLayout& layout = loop.getHeader()->getModule()->getDataLayout();
  Strides strides(uniform, layout);
  unsigned values = 0, steps = 0;
  for (const PHINode& phi : loop.getHeader()->phis()) values += strides.of(&phi) == 0 ? 0 : 1;
  for (const BasicBlock* const block : loop.blocks()) {
    for (const Instruction& instruction : *block) {
      if (const auto* const call = dyn_cast<CallInst>(&instruction)) {
        const bool waits = calls(*call, barrier_name);
        if (waits || (!isa<IntrinsicInst>(call) && call->mayReadOrWriteMemory())) return false;
      } else if (const Value* const pointer = getLoadStorePointerOperand(&instruction); pointer != nullptr) {
        const std::int64_t stride = strides.of(pointer);
        const auto size = static_cast<std::int64_t>(layout.getTypeStoreSize(type_of(instruction)).getFixedValue());
        if (stride == unknown_stride || std::abs(stride) > size || type_of(instruction)->isVectorTy()) return false;
        steps += 1;
      } else if (instruction.mayReadOrWriteMemory() || instruction.getType()->isVectorTy()) {
        return false;
      }
    }
  }
  return steps != 0 && values <= most_values;
}

}  // namespace pintle::plugins::opencl_c
