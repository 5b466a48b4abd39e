#include "plugins/opencl_c/images.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <array>

#include "plugins/opencl_c/builtins.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

/// A function of the built-in library's, and where a pintle_cpu_image or a pintle_cpu_sampler has its answer.
struct Fact {
  StringRef function;
  unsigned offset;
  unsigned bytes;
};

constexpr StringRef texel_function = "pintle_image_texel";
const std::array<Fact, 10> facts{{{"pintle_image_texels", 0, 8},
                                  {"pintle_image_width", 8, 4},
                                  {"pintle_image_height", 12, 4},
                                  {"pintle_image_depth", 16, 4},
                                  {texel_function, 20, 4},
                                  {"pintle_image_row", 24, 8},
                                  {"pintle_image_slice", 32, 8},
                                  {"pintle_sampler_filter", 0, 1},
                                  {"pintle_sampler_address", 1, 1},
                                  {"pintle_sampler_coordinates", 2, 1}}};

const Fact* asked_by(const Instruction& instruction) {
  const auto* const call = dyn_cast<CallInst>(&instruction);
  const Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (callee == nullptr) return nullptr;
  const auto* const found = find_if(facts, [&](const Fact& fact) { return callee->getName() == fact.function; });
  return found == facts.end() ? nullptr : found;
}

/// What the signature says already; null where it does not.
Value* declared(const CallInst& call, const Fact& fact, const Entry& entry) {
  const auto* const argument = dyn_cast<Argument>(call.getArgOperand(0));
  if (fact.function != texel_function || argument == nullptr || argument->getArgNo() >= entry.parameters.size())
    return nullptr;
  const std::uint64_t texel = entry.parameters[argument->getArgNo()].texel;
  return texel == 0 ? nullptr : ConstantInt::get(call.getType(), texel);
}

Value* load(IRBuilder<>& builder, Value* object, const Fact& fact, Type* wanted) {
  Value* const place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), object, fact.offset);
  Type* const type = fact.bytes == 1 ? builder.getInt8Ty() : wanted;
  LoadInst* const value = builder.CreateAlignedLoad(type, place, Align(fact.bytes));
  value->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(builder.getContext(), {}));
  return type == wanted ? value : builder.CreateZExt(value, wanted);
}

}  // namespace

void answer_images(Function& kernel, const Entry& entry) {
  DenseMap<std::pair<Value*, const Fact*>, Value*> known;
  IRBuilder<> first(&kernel.getEntryBlock(), kernel.getEntryBlock().getFirstInsertionPt());
  SmallVector<Instruction*> answered;  // erased last, since the first may stand where all loads go
  for (Instruction& instruction : instructions(kernel)) {
    const Fact* const fact = asked_by(instruction);
    if (fact == nullptr) continue;
    auto& call = cast<CallInst>(instruction);
    Value* const object = call.getArgOperand(0);
    Value* value = declared(call, *fact, entry);
    if (value == nullptr && isa<Argument>(object)) {
      Value*& loaded = known[{object, fact}];
      if (loaded == nullptr) loaded = load(first, object, *fact, call.getType());
      value = loaded;
    }
    if (value == nullptr) {  // a sampler of the source's
      IRBuilder<> here(&call);
      value = load(here, object, *fact, call.getType());
    }
    call.replaceAllUsesWith(value);
    answered.push_back(&call);
  }
  if (answered.empty()) return;
  for (Instruction* const call : answered) call->eraseFromParent();
  simplify(kernel);
}

bool is_fact(const Value& value) {
  const auto* const load = dyn_cast<LoadInst>(&value);
  return load != nullptr && load->hasMetadata(LLVMContext::MD_invariant_load) &&
         isa<Argument>(getUnderlyingObject(load->getPointerOperand(), 0));
}

}  // namespace pintle::plugins::opencl_c
