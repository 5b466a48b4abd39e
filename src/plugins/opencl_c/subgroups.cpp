#include "plugins/opencl_c/subgroups.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <array>

#include "plugins/opencl_c/builtins.h"
#include "plugins/opencl_c/uniform.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;

constexpr std::uint64_t least_line = 16;  // a device of fewer lanes would have several lines in one subgroup
constexpr const char* prefix = "pintle_subgroup_";
constexpr const char* barrier = "pintle_subgroup_barrier";
constexpr const char* size_name = "pintle_subgroup_size";
constexpr const char* most_name = "pintle_subgroup_most";
constexpr const char* count_name = "pintle_subgroup_count";

std::uint64_t items_of(const Entry& entry) { return entry.group[0] * entry.group[1] * entry.group[2]; }

/// The calls for items' places, as a kernel of several subgroups, or of one, has them.
class ItemPlaces {
 public:
  ItemPlaces(Function& kernel, const Entry& entry)
      : module_(*kernel.getParent()), entry_(entry), subgroups_(subgroups_of(entry)) {}

  /// What the call gives; null for any other instruction.
  Value* value_of(Instruction& one) {
    IRBuilder<> builder(&one);
    if (calls(one, count_name)) return builder.getInt32(static_cast<std::uint32_t>(subgroups_.count));
    if (calls(one, most_name)) return builder.getInt32(static_cast<std::uint32_t>(subgroups_.size));
    if (calls(one, size_name)) return size(builder);
    const auto d = dimension_of(one, local_id_name);
    if (d && entry_.group[*d] == 1) return builder.getInt64(0);
    if (!subgroups_.several()) return value_of_one(one, builder);
    if (d) return local_id(*d, builder);
    return nullptr;
  }

 private:
  Value* size(IRBuilder<>& builder) {
    Value* const size = builder.getInt32(static_cast<std::uint32_t>(subgroups_.size));
    Value* const last = builder.getInt32(static_cast<std::uint32_t>(subgroups_.last));
    if (!subgroups_.several()) return last;
    if (subgroups_.last == subgroups_.size) return size;
    Value* const is_last = builder.CreateICmpEQ(call(subgroup_id_name, subgroups_.count, builder),
                                                builder.getInt32(static_cast<std::uint32_t>(subgroups_.count - 1)));
    return builder.CreateSelect(is_last, last, size);
  }

  /// The whole group is the only subgroup.
  Value* value_of_one(Instruction& one, IRBuilder<>& builder) {
    if (calls(one, subgroup_id_name)) return builder.getInt32(0);
    if (!calls(one, subgroup_lane_name)) return nullptr;
    Value* lane = builder.getInt64(0);
    for (const unsigned d : {2U, 1U, 0U}) {
      lane = builder.CreateMul(lane, builder.getInt64(entry_.group[d]));
      if (entry_.group[d] == 1) continue;
      const auto callee = module_.getOrInsertFunction(std::string(local_id_name) + "xyz"[d], builder.getInt64Ty());
      lane = builder.CreateAdd(lane, builder.CreateCall(callee));
    }
    return builder.CreateTrunc(lane, builder.getInt32Ty());
  }

  /// Where whole subgroups fill a line in x, all items of one have the same place in y and z.
  Value* local_id(unsigned d, IRBuilder<>& builder) {
    auto* const wide = builder.getInt64Ty();
    Value* const lane = builder.CreateZExt(call(subgroup_lane_name, subgroups_.size, builder), wide);
    Value* const id = builder.CreateZExt(call(subgroup_id_name, subgroups_.count, builder), wide);
    const std::array<std::uint64_t, 3>& group = entry_.group;
    const bool is_whole = group[0] % subgroups_.size == 0;
    const std::uint64_t step = is_whole ? subgroups_.size : 1;
    Value* place =
        is_whole ? id : builder.CreateAdd(builder.CreateMul(id, builder.getInt64(subgroups_.size)), lane, "", true);
    const auto part = [&](std::uint64_t before, std::uint64_t side) {
      return builder.CreateURem(builder.CreateUDiv(place, builder.getInt64(before)), builder.getInt64(side));
    };
    if (d == 2) return part(group[0] / step * group[1], group[2]);
    if (d == 1) return part(group[0] / step, group[1]);
    Value* const x = part(1, group[0] / step);
    return is_whole ? builder.CreateAdd(builder.CreateMul(x, builder.getInt64(step)), lane, "", true, true) : x;
  }

  /// A call of what the function of a group makes a value, below `end`.
  Value* call(const char* name, std::uint64_t end, IRBuilder<>& builder) {
    auto* const type = builder.getInt32Ty();
    auto* const function = cast<Function>(module_.getOrInsertFunction(name, type).getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    CallInst* const made = builder.CreateCall(function);
    const ConstantRange range(APInt(32, 0), APInt(32, end));
    made->addRetAttr(Attribute::get(module_.getContext(), Attribute::Range, range));
    return made;
  }

  Module& module_;
  const Entry& entry_;
  const Subgroups subgroups_;
};

void place_items(Function& kernel, const Entry& entry) {
  ItemPlaces places(kernel, entry);
  for (Instruction& one : make_early_inc_range(instructions(kernel))) {
    Value* const value = places.value_of(one);
    if (value == nullptr) continue;
    one.replaceAllUsesWith(value);
    one.eraseFromParent();
  }
  simplify(kernel);
}

/// The function of the source that a barrier belongs to.
std::string function_of(const Instruction& one) {
  StringRef name;
  const auto* const text = dyn_cast<GlobalVariable>(one.getOperand(0)->stripPointerCasts());
  const auto* const letters =
      text == nullptr || !text->hasInitializer() ? nullptr : dyn_cast<ConstantDataArray>(text->getInitializer());
  if (letters != nullptr && letters->isCString()) name = letters->getAsCString();
  return name.empty() ? "a function of subgroups" : name.str();
}

/// A function of subgroups to which only some items of one may come; empty: none.
std::string parted_function(Function& kernel, const Entry& entry) {
  ValueToValueMapTy values;
  Function* const copy = CloneFunction(&kernel, values);
  place_items(*copy, entry);
  const Uniform uniform(*copy);
  std::string found;
  for (const Instruction& one : instructions(*copy))
    if (found.empty() && calls(one, barrier) && uniform.is_way(*one.getParent())) found = function_of(one);
  copy->eraseFromParent();
  return found;
}

std::uint64_t size_in_source(const Function& kernel) {
  const MDNode* const node = kernel.getMetadata("intel_reqd_sub_group_size");
  const auto* const value = node == nullptr ? nullptr : mdconst::dyn_extract<ConstantInt>(node->getOperand(0));
  return value == nullptr ? 0 : value->getZExtValue();
}

}  // namespace

Subgroups subgroups_of(const Entry& entry) {
  const std::uint64_t items = items_of(entry), line = entry.group[0];
  const bool has_lines = line < items && line >= least_line && line <= most_subgroup;
  const std::uint64_t usual = has_lines ? line : std::min(items, most_subgroup);
  const std::uint64_t size = entry.subgroup != 0 ? entry.subgroup : usual;
  const std::uint64_t count = (items + size - 1) / size;
  return {size, count, items - (count - 1) * size};
}

bool has_subgroups(Function& kernel) {
  return any_of(instructions(kernel), [](const Instruction& one) {
    const auto* const call = dyn_cast<CallInst>(&one);
    const Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
    return callee != nullptr && callee->getName().starts_with(prefix);
  });
}

std::string check_subgroups(Function& kernel, Entry& entry) {
  const std::uint64_t asked = size_in_source(kernel);
  if (asked != 0 && entry.subgroup != 0 && asked != entry.subgroup)
    return "has subgroups of (" + std::to_string(asked) + ") items in the source, and of (" +
           std::to_string(entry.subgroup) + ") in the signature";
  if (asked != 0) entry.subgroup = asked;
  if (entry.subgroup != 0 && (!isPowerOf2_64(entry.subgroup) || entry.subgroup > most_subgroup))
    return "asks for subgroups of (" + std::to_string(entry.subgroup) +
           ") items, and the cpu has those of 1, 2, 4 to " + std::to_string(most_subgroup);
  if (!has_subgroups(kernel)) return {};
  const std::string function = parted_function(kernel, entry);
  return function.empty()
             ? function
             : "calls " + function + " where items of one subgroup go different ways, which the cpu does not have";
}

void lower_subgroups(Function& kernel, const Entry& entry) {
  place_items(kernel, entry);
  Module& module = *kernel.getParent();
  const char* const name = subgroups_of(entry).several() ? subgroup_cut_name : barrier_name;
  const auto callee = module.getOrInsertFunction(name, Type::getVoidTy(module.getContext()));
  for (Instruction& one : make_early_inc_range(instructions(kernel))) {
    if (!calls(one, barrier)) continue;
    CallInst::Create(callee, "", one.getIterator())->setConvergent();
    one.eraseFromParent();
  }
}

}  // namespace pintle::plugins::opencl_c
