#include "plugins/opencl_c/rows.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "plugins/opencl_c/arguments.h"
#include "plugins/opencl_c/builtins.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;
using namespace llvm::PatternMatch;

bool is_x(const Value* value, const char* prefix) {
  const auto* const instruction = dyn_cast<Instruction>(value);
  return instruction != nullptr && dimension_of(*instruction, prefix) == 0U;
}

/// The group's id times the size of a group, in x.
bool is_base(const Value* value, std::uint64_t size) {
  Value *a = nullptr, *b = nullptr;
  ConstantInt* constant = nullptr;
  if (match(value, m_Shl(m_Value(a), m_ConstantInt(constant))))
    return is_x(a, group_id_name) && constant->getZExtValue() < 32 &&
           std::uint64_t{1} << constant->getZExtValue() == size;
  if (!match(value, m_Mul(m_Value(a), m_Value(b)))) return false;
  if (!is_x(a, group_id_name)) std::swap(a, b);
  if (!is_x(a, group_id_name)) return false;
  return is_x(b, local_size_name) || (match(b, m_ConstantInt(constant)) && constant->getZExtValue() == size);
}

bool is_global_id(const Value* value, std::uint64_t size) {
  const auto* const sum = dyn_cast<BinaryOperator>(value);
  if (sum == nullptr || sum->getOpcode() != Instruction::Add) return false;
  const Value *a = sum->getOperand(0), *b = sum->getOperand(1);
  return (is_base(a, size) && is_x(b, local_id_name)) || (is_base(b, size) && is_x(a, local_id_name));
}

/// Whether an instruction tells nothing of the group's ends.
bool is_free(const Instruction& one, const Entry& entry) {
  const std::uint64_t size = entry.group[0];
  const auto is_sum = [&](const User* user) { return is_global_id(user, size); };
  if (is_x(&one, local_id_name)) return all_of(one.users(), is_sum);
  if (is_x(&one, group_id_name))
    return all_of(one.users(), [&](const User* user) { return is_base(user, size) && all_of(user->users(), is_sum); });
  const auto* const call = dyn_cast<CallBase>(&one);
  if (call == nullptr || isa<IntrinsicInst>(call)) return true;
  for (const char* const prefix : {local_id_name, local_size_name, group_id_name, group_count_name})
    if (dimension_of(one, prefix)) return true;
  return call->getCalledFunction() != nullptr && !call->getCalledFunction()->getName().starts_with("pintle_");
}

}  // namespace

bool can_make_rows(Function& kernel, const Entry& entry) {
  const bool has_local = entry.local_bytes != 0 || any_of(entry.parameters, [](const Parameter& parameter) {
                           return parameter.kind == Parameter::Kind::local;
                         });
  if (has_local || !local_variables(kernel).empty()) return false;
  return all_of(instructions(kernel), [&](const Instruction& one) { return is_free(one, entry); });
}

}  // namespace pintle::plugins::opencl_c
