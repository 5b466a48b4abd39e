#include "plugins/opencl_c/arguments.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

#include "plugins/opencl_c/builtins.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

/// Nobody writes through a struct's address, nor keeps it, so that all items read the caller's.
bool is_only_read(const Value& address) {
  return all_of(address.users(), [](const User* user) {
    return isa<LoadInst>(user) || (isa<GetElementPtrInst>(user) && is_only_read(*user));
  });
}

/// The caller's bytes may lie anywhere.
void read_from_anywhere(Value& address) {
  for (User* const user : address.users()) {
    if (auto* const load = dyn_cast<LoadInst>(user)) load->setAlignment(Align(1));
    else read_from_anywhere(*user);
  }
}

}  // namespace

DenseMap<Value*, Value*> bind_arguments(IRBuilder<>& builder, Function& kernel, Function& function,
                                        const Entry& entry) {
  DenseMap<Value*, Value*> bound;
  auto* const pointer = builder.getPtrTy();
  for (Argument& argument : kernel.args()) {
    if (argument.getArgNo() >= entry.parameters.size()) {  // pintle_group has `local` behind ten words of 32 bits
      Value* const place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), function.getArg(0), 40);
      bound[&argument] = builder.CreateLoad(pointer, place, "local");
      continue;
    }
    Value* const place = builder.CreateConstInBoundsGEP1_64(pointer, function.getArg(1), argument.getArgNo());
    Value* const address = builder.CreateLoad(pointer, place, "argument");
    if (argument.getType()->isPointerTy()) bound[&argument] = address;
    else bound[&argument] = builder.CreateAlignedLoad(argument.getType(), address, Align(1));
  }
  return bound;
}

GroupIds load_ids(IRBuilder<>& builder, Function& function, const Entry& entry, Groups groups) {
  GroupIds ids;
  const auto load = [&](unsigned index, std::uint64_t end) {
    Value* const place = builder.CreateConstInBoundsGEP1_64(builder.getInt32Ty(), function.getArg(0), index);
    LoadInst* const word = builder.CreateLoad(builder.getInt32Ty(), place);
    if (groups.near)
      word->setMetadata(LLVMContext::MD_range,
                        MDBuilder(function.getContext()).createRange(APInt(32, 0), APInt(32, end)));
    return builder.CreateZExt(word, builder.getInt64Ty());
  };
  for (unsigned i = 0; i < 3; ++i) {
    const std::uint64_t most = std::max<std::uint64_t>((far - 1) / entry.group[i], 1);
    ids.id[i] = load(i, most);
    ids.count[i] = load(i + 3, most + 1);
    ids.size[i] = builder.getInt64(entry.group[i]);
  }
  if (!groups.rows) return ids;
  ids.size[0] = load(6, far);
  if (isPowerOf2_64(entry.group[0])) ids.size[0] = builder.CreateAnd(ids.size[0], builder.getInt64(-entry.group[0]));
  return ids;
}

Value* group_value(const Instruction& call, IRBuilder<>& builder, const GroupIds& ids, const Entry& entry) {
  if (const auto d = dimension_of(call, local_size_name)) return builder.getInt64(entry.group[*d]);
  if (const auto d = dimension_of(call, group_id_name)) return ids.id[*d];
  if (const auto d = dimension_of(call, group_count_name)) return ids.count[*d];
  return nullptr;
}

/// A struct by value belongs to the item: where the kernel writes to it, it gets a variable.
void own_structs(Function& kernel) {
  IRBuilder<> builder(&kernel.getEntryBlock(), kernel.getEntryBlock().begin());
  for (Argument& argument : kernel.args()) {
    if (!argument.hasByValAttr()) continue;
    Type* const type = argument.getParamByValType();
    const Align align = argument.getParamAlign().valueOrOne();
    argument.removeAttr(Attribute::ByVal);
    argument.removeAttr(Attribute::Alignment);
    if (is_only_read(argument)) {
      read_from_anywhere(argument);
      continue;
    }
    AllocaInst* const own = builder.CreateAlloca(type);
    own->setAlignment(align);
    argument.replaceAllUsesWith(own);
    const auto bytes = kernel.getParent()->getDataLayout().getTypeAllocSize(type);
    builder.CreateMemCpy(own, align, &argument, Align(1), bytes);
  }
}

/// clang gives a variable in local memory no initial value; every other variable has one.
bool is_local(const GlobalVariable& variable) {
  return variable.hasInitializer() && isa<UndefValue>(variable.getInitializer()) && !variable.isConstant();
}

SmallVector<GlobalVariable*> local_variables(Function& kernel) {
  SmallVector<Constant*> all;
  for (GlobalVariable& variable : kernel.getParent()->globals())
    if (is_local(variable)) all.push_back(&variable);
  convertUsersOfConstantsToInstructions(all, &kernel);
  SmallVector<GlobalVariable*> used;
  for (Constant* const variable : all) {
    const bool is_used = any_of(variable->users(), [&](const User* user) {
      const auto* const instruction = dyn_cast<Instruction>(user);
      return instruction != nullptr && instruction->getFunction() == &kernel;
    });
    if (is_used) used.push_back(cast<GlobalVariable>(variable));
  }
  return used;
}

}  // namespace pintle::plugins::opencl_c
