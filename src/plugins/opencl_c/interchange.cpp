#include "plugins/opencl_c/interchange.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>

#include "plugins/opencl_c/builtins.h"
#include "plugins/opencl_c/uniform.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

constexpr std::uint64_t least_items = 8;  // in x: a vector
constexpr unsigned most_values = 8;       // that a round hands to the next for each item
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

/// Every item runs the loop as often, and comes to it.
bool is_alike(const Loop& loop, const Uniform& uniform) {
  auto* const latch = loop.getLoopLatch();
  if (latch == nullptr || loop.getLoopPreheader() == nullptr || loop.getExitingBlock() != latch ||
      loop.getExitBlock() == nullptr)
    return false;
  const auto* const branch = dyn_cast<BranchInst>(latch->getTerminator());
  return branch != nullptr && uniform.holds(branch->getCondition()) && !uniform.is_way(*loop.getHeader());
}

Type* type_of(const Instruction& access) {
  const auto* const store = dyn_cast<StoreInst>(&access);
  return store != nullptr ? store->getValueOperand()->getType() : access.getType();
}

bool is_worth(const Loop& loop, Strides& strides, const DataLayout& layout) {
  unsigned values = 0, steps = 0;
  for (const PHINode& phi : loop.getHeader()->phis()) values += strides.of(&phi) == 0 ? 0 : 1;
  for (const BasicBlock* const block : loop.blocks()) {
    for (const Instruction& instruction : *block) {
      if (const auto* const call = dyn_cast<CallInst>(&instruction)) {
        if (!isa<IntrinsicInst>(call) && call->mayReadOrWriteMemory()) return false;
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
  Module& module = *kernel.getParent();
  Strides strides(uniform, module.getDataLayout());
  for (const Loop* const loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !is_alike(*loop, uniform)) continue;
    const bool waits = any_of(loop->blocks(), [](const BasicBlock* block) {
      return any_of(*block, [](const Instruction& one) { return calls(one, barrier_name); });
    });
    if (!waits && is_worth(*loop, strides, module.getDataLayout()))
      chosen.push_back({loop->getLoopPreheader(), loop->getHeader(), loop->getLoopLatch(), loop->getExitBlock()});
  }
  return chosen;
}

}  // namespace

bool has_loops_to_turn(Function& kernel, const Entry& entry) { return !find_loops(kernel, entry).empty(); }

void turn_loops(Function& kernel, const Entry& entry) {
  const auto chosen = find_loops(kernel, entry);
  if (chosen.empty()) return;
  Module& module = *kernel.getParent();
  FunctionCallee barrier = module.getOrInsertFunction(barrier_name, Type::getVoidTy(module.getContext()));
  for (const auto& [preheader, header, latch, exit] : chosen)
    put_barriers(preheader, header, latch, exit, *cast<Function>(barrier.getCallee()));
}

}  // namespace pintle::plugins::opencl_c
