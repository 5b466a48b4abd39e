#include "plugins/opencl_c/printing.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <string>

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

constexpr const char* pointer_name = "pintle_print";  // the pointer that the loader sets

/// What a conversion says of its argument: how many lanes of which size. The compiler passes small vectors as other
/// types of the same bytes.
struct Conversion {
  unsigned lanes = 1;
  unsigned bytes = 4;  ///< The size of a vector's element.
  bool is_float = false;
};

unsigned bytes_of(StringRef length) { return length == "hh" ? 1 : length == "h" ? 2 : length == "l" ? 8 : 4; }

/// The conversions of a text, one for each argument.
SmallVector<Conversion> conversions_in(StringRef text) {
  SmallVector<Conversion> all;
  while (true) {
    const auto at = text.find('%');
    if (at == StringRef::npos) return all;
    text = text.drop_front(at + 1);
    if (text.consume_front("%")) continue;
    const StringRef flags = text.take_while([](char c) { return StringRef("-+ #0123456789.*").contains(c); });
    for (std::size_t i = 0; i < flags.count('*'); ++i) all.push_back({});
    text = text.drop_front(flags.size());
    Conversion one;
    if (text.consume_front("v")) text.consumeInteger(10, one.lanes);
    const StringRef length = text.take_while([](char c) { return c == 'h' || c == 'l'; });
    text = text.drop_front(length.size());
    one.bytes = bytes_of(length);
    one.is_float = !text.empty() && StringRef("fFeEgGaA").contains(text.front());
    all.push_back(one);
  }
}

/// Makes one call.
class Lowering {
 public:
  Lowering(Module& module, CallInst& call)
      : call_(call),
        builder_(&call),
        first_(&call.getFunction()->getEntryBlock(), call.getFunction()->getEntryBlock().begin()),
        word_(builder_.getInt64Ty()) {
    auto* const pointer = builder_.getPtrTy();
    function_ = module.getOrInsertFunction(print_name, builder_.getVoidTy(), pointer, pointer, pointer);
    cast<Function>(function_.getCallee())->addFnAttr(Attribute::NoUnwind);
  }

  void make(ArrayRef<Conversion> conversions) {
    for (unsigned i = 1; i < call_.arg_size(); ++i)
      add(i, i - 1 < conversions.size() ? conversions[i - 1] : Conversion{});
    auto* const words = first_.CreateAlloca(ArrayType::get(word_, std::max<std::size_t>(words_.size(), 1)));
    for (unsigned i = 0; i < words_.size(); ++i)
      builder_.CreateStore(words_[i], builder_.CreateConstInBoundsGEP1_64(word_, words, i));
    builder_.CreateCall(function_, {call_.getArgOperand(0), builder_.CreateGlobalString(kinds_), words});
    call_.replaceAllUsesWith(builder_.getInt32(0));
    call_.eraseFromParent();
  }

 private:
  void add(unsigned index, const Conversion& conversion) {
    Value* const value = call_.getArgOperand(index);
    if (conversion.lanes > 1) {
      Value* const vector = as_vector(index, conversion);
      kinds_ += conversion.is_float ? 'f' : 'i';
      kinds_ += static_cast<char>('0' + conversion.lanes);
      for (unsigned lane = 0; lane < conversion.lanes; ++lane)
        words_.push_back(word_of(builder_.CreateExtractElement(vector, lane)));
      return;
    }
    kinds_ += value->getType()->isPointerTy() ? 'p' : value->getType()->isIntegerTy() ? 'i' : 'f';
    kinds_ += '1';
    words_.push_back(word_of(value));
  }

  Value* word_of(Value* value) {
    Type* const type = value->getType();
    if (type->isPointerTy()) return builder_.CreatePtrToInt(value, word_);
    if (type->isIntegerTy()) return builder_.CreateSExtOrTrunc(value, word_);
    if (type->isFloatingPointTy())
      return builder_.CreateBitCast(builder_.CreateFPCast(value, builder_.getDoubleTy()), word_);
    return builder_.getInt64(0);
  }

  /// The vector's bytes by way of memory.
  Value* as_vector(unsigned index, const Conversion& conversion) {
    Type* const element = !conversion.is_float    ? builder_.getIntNTy(conversion.bytes * 8)
                          : conversion.bytes == 2 ? builder_.getHalfTy()
                          : conversion.bytes == 4 ? builder_.getFloatTy()
                                                  : builder_.getDoubleTy();
    auto* const type = FixedVectorType::get(element, conversion.lanes);
    Value* const value = call_.getArgOperand(index);
    if (value->getType()->isPointerTy()) return builder_.CreateAlignedLoad(type, value, Align(1));
    const DataLayout& layout = call_.getModule()->getDataLayout();
    const std::uint64_t bytes =
        std::max<std::uint64_t>(layout.getTypeAllocSize(value->getType()), layout.getTypeAllocSize(type));
    auto* const memory = first_.CreateAlloca(ArrayType::get(builder_.getInt8Ty(), bytes));
    memory->setAlignment(Align(64));
    builder_.CreateStore(value, memory);
    return builder_.CreateLoad(type, memory);
  }

  CallInst& call_;
  IRBuilder<> builder_;
  IRBuilder<> first_;
  Type* word_;
  FunctionCallee function_;
  SmallVector<Value*> words_;
  std::string kinds_;
};

bool text_of(const Value* format, StringRef& text) { return getConstantStringInfo(format, text); }

/// Calls through the pointer, where it is set.
void define(Module& module, Function& function) {
  auto* const pointer = PointerType::getUnqual(module.getContext());
  auto* const place = new GlobalVariable(module, pointer, false, GlobalValue::ExternalLinkage,
                                         ConstantPointerNull::get(pointer), pointer_name);
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "", &function));
  Value* const print = builder.CreateLoad(pointer, place);
  auto* const call = BasicBlock::Create(module.getContext(), "call", &function);
  auto* const end = BasicBlock::Create(module.getContext(), "end", &function);
  builder.CreateCondBr(builder.CreateIsNull(print), end, call);
  builder.SetInsertPoint(call);
  builder.CreateCall(function.getFunctionType(), print, {function.getArg(0), function.getArg(1), function.getArg(2)});
  builder.CreateBr(end);
  ReturnInst::Create(module.getContext(), end);
  function.addFnAttr(Attribute::NoInline);
  function.setLinkage(GlobalValue::InternalLinkage);
}

}  // namespace

void lower_printf(Module& module) {
  Function* const printf = module.getFunction("printf");
  if (printf == nullptr) return;
  for (User* const user : make_early_inc_range(printf->users())) {
    auto* const call = dyn_cast<CallInst>(user);
    StringRef text;
    if (call == nullptr || call->getCalledFunction() != printf || !text_of(call->getArgOperand(0), text)) continue;
    Lowering(module, *call).make(conversions_in(text));
  }
}

void end_lines(Function& group_function) {
  Module& module = *group_function.getParent();
  Function* const print = module.getFunction(print_name);
  if (print == nullptr) return;
  const bool prints = any_of(print->users(), [&](const User* user) {
    const auto* const call = dyn_cast<CallInst>(user);
    return call != nullptr && call->getFunction() == &group_function;
  });
  if (!prints) return;
  if (print->isDeclaration()) define(module, *print);
  auto* const none = ConstantPointerNull::get(PointerType::getUnqual(module.getContext()));
  for (BasicBlock& block : group_function)
    if (isa<ReturnInst>(block.getTerminator()))
      IRBuilder<>(block.getTerminator()).CreateCall(print, {none, none, none});
}

}  // namespace pintle::plugins::opencl_c
