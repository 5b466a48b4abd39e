#include "plugins/opencl_c/storage.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

/// A thread that waits runs groups too, so that a group takes little of a stack that is not the worker pool's.
constexpr std::uint64_t most_on_stack = 16 << 10;
constexpr std::uint64_t alignment = 64;

std::uint64_t size_of(const AllocaInst& piece) { return piece.getAllocatedType()->getArrayNumElements(); }

/// One variable serves all kernels of a module, since a thread runs one group at a time.
GlobalVariable* thread_memory(Module& module, std::uint64_t bytes) {
  const char* const name = "pintle_thread_memory";
  GlobalVariable* const old = module.getNamedGlobal(name);
  if (old != nullptr && old->getValueType()->getArrayNumElements() >= bytes) return old;
  auto* const type = ArrayType::get(Type::getInt8Ty(module.getContext()), bytes);
  auto* const memory =
      new GlobalVariable(module, type, false, GlobalValue::InternalLinkage, ConstantAggregateZero::get(type),
                         old == nullptr ? name : "", nullptr, GlobalValue::GeneralDynamicTLSModel);
  memory->setAlignment(Align(alignment));
  if (old == nullptr) return memory;
  memory->takeName(old);
  old->replaceAllUsesWith(memory);
  old->eraseFromParent();
  return memory;
}

}  // namespace

Instruction* Storage::take(std::uint64_t bytes, const Twine& name) {
  IRBuilder<> builder(&function_.getEntryBlock(), function_.getEntryBlock().begin());
  auto* const piece =
      builder.CreateAlloca(ArrayType::get(builder.getInt8Ty(), alignTo(bytes, alignment)), nullptr, name);
  piece->setAlignment(Align(alignment));
  piece->setMetadata("pintle.shared", MDNode::get(function_.getContext(), {}));
  pieces_.push_back(piece);
  return piece;
}

void Storage::finish() {
  std::uint64_t all = 0;
  for (const AllocaInst* const piece : pieces_) all += size_of(*piece);
  if (all <= most_on_stack) return;
  IRBuilder<> builder(&function_.getEntryBlock(), function_.getEntryBlock().begin());
  Value* const memory = builder.CreateThreadLocalAddress(thread_memory(*function_.getParent(), all));
  std::uint64_t offset = 0;
  for (AllocaInst* const piece : pieces_) {
    piece->replaceAllUsesWith(builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory, offset));
    offset += size_of(*piece);
    piece->eraseFromParent();
  }
}

}  // namespace pintle::plugins::opencl_c
