#include "plugins/opencl_c/places.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

#include "plugins/opencl_c/arguments.h"
#include "plugins/opencl_c/builtins.h"
#include "plugins/opencl_c/images.h"

namespace pintle::plugins::opencl_c {
namespace {

using namespace llvm;
using namespace llvm::PatternMatch;

/// An expression of which every part is an argument, a constant, one of the group, or common otherwise.
bool is_shared(const Value* value, Places::Known is_common, unsigned depth = 0) {
  if (isa<Constant>(value) || is_common(value) || is_fact(*value)) return true;
  if (const auto* const argument = dyn_cast<Argument>(value)) return !argument->getType()->isPointerTy();
  const auto* const instruction = dyn_cast<Instruction>(value);
  if (instruction == nullptr || depth > 6) return false;
  for (const char* const prefix : {local_size_name, group_id_name, group_count_name})
    if (dimension_of(*instruction, prefix)) return true;
  if (!isa<BinaryOperator, CastInst>(instruction) || instruction->isIntDivRem()) return false;
  return all_of(instruction->operands(), [&](const Value* part) { return is_shared(part, is_common, depth + 1); });
}

std::optional<unsigned> dimension(const Value* value, const char* prefix) {
  const auto* const instruction = dyn_cast<Instruction>(value);
  return instruction == nullptr ? std::nullopt : dimension_of(*instruction, prefix);
}

}  // namespace

/// The group's id times its size, so that the sum with a local id is a global id.
bool Places::is_part_of_group(const Value* value, unsigned d) const {
  Value *group = nullptr, *size = nullptr;
  ConstantInt* constant = nullptr;
  if (match(value, m_Shl(m_Value(group), m_ConstantInt(constant))))
    return dimension(group, group_id_name) == d && constant->getZExtValue() < 30 &&
           (std::uint64_t{1} << constant->getZExtValue()) <= entry_.group[d];
  if (!match(value, m_Mul(m_Value(group), m_Value(size)))) return false;
  if (dimension(group, group_id_name) != d) std::swap(group, size);
  if (dimension(group, group_id_name) != d) return false;
  if (match(size, m_ConstantInt(constant))) return constant->getZExtValue() <= entry_.group[d];
  return dimension(size, local_size_name) == d;
}

/// One local id, at most with its group's part added: it has no sign and is small.
std::optional<unsigned> Places::id_of(const Value* value) const {
  if (const auto d = dimension(value, local_id_name)) {
    if (entry_.group[*d] >= static_cast<std::uint64_t>(far)) return std::nullopt;
    return d;
  }
  Value *id = nullptr, *base = nullptr;
  if (!near_ || (!match(value, m_Add(m_Value(base), m_Value(id))) && !match(value, m_Or(m_Value(base), m_Value(id)))))
    return std::nullopt;
  if (dimension(base, local_id_name)) std::swap(base, id);
  const auto d = dimension(id, local_id_name);
  return d && is_part_of_group(base, *d) ? d : std::nullopt;
}

/// An id in any width from 32 bits on, with a small constant added.
std::optional<Places::Place> Places::place_of(const Value* value) const {
  ConstantInt* constant = nullptr;
  Value* inner = nullptr;
  if (match(value, m_Add(m_Value(inner), m_ConstantInt(constant))) && std::abs(constant->getSExtValue()) < far) {
    const auto d = id_of(inner) ? std::optional(Place{*id_of(inner), false}) : place_of(inner);
    if (!d || match(inner, m_Add(m_Value(), m_ConstantInt()))) return std::nullopt;
    return Place{d->dimension, d->may_be_negative || constant->getSExtValue() < 0};
  }
  if (match(value, m_Trunc(m_Value(inner))) || match(value, m_ZExtOrSExt(m_Value(inner)))) {
    if (value->getType()->getScalarSizeInBits() < 32) return std::nullopt;
    const auto place = place_of(inner);
    return place && !place->may_be_negative ? place : std::nullopt;
  }
  if (match(value, m_And(m_Value(inner), m_SpecificInt(0xffffffff)))) value = inner;
  const auto d = id_of(value);
  return d ? std::optional(Place{*d, false}) : std::nullopt;
}

std::optional<Bound> Places::bound_of(const ICmpInst& compare, bool answer, Known is_common) const {
  if (!compare.getOperand(0)->getType()->isIntegerTy()) return std::nullopt;
  const auto predicate = answer ? compare.getPredicate() : compare.getInversePredicate();
  if (predicate == CmpInst::ICMP_NE) return std::nullopt;
  for (const unsigned i : {0U, 1U}) {
    const auto place = place_of(compare.getOperand(i));
    if (!place || !is_shared(compare.getOperand(1 - i), is_common)) continue;
    if (place->may_be_negative && !ICmpInst::isSigned(predicate)) return std::nullopt;
    return Bound{place->dimension, i == 0 ? predicate : CmpInst::getSwappedPredicate(predicate), compare.getOperand(i),
                 compare.getOperand(1 - i)};
  }
  return std::nullopt;
}

void add_leaves(Value* condition, bool answer, function_ref<void(ICmpInst&, bool)> add) {
  Value *a = nullptr, *b = nullptr;
  const bool joined = answer ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
                             : match(condition, m_LogicalOr(m_Value(a), m_Value(b)));
  if (joined) {
    add_leaves(a, answer, add);
    add_leaves(b, answer, add);
  } else if (auto* const compare = dyn_cast<ICmpInst>(condition)) {
    add(*compare, answer);
  }
}

Value* computed_at(Value* value, IRBuilder<>& builder, function_ref<Value*(Value*)> known) {
  if (isa<Constant>(value)) return value;
  if (Value* const found = known(value)) return found;
  Instruction* const copy = cast<Instruction>(value)->clone();
  for (Use& operand : copy->operands()) operand.set(computed_at(operand.get(), builder, known));
  copy->dropPoisonGeneratingFlags();  // here it is computed for items that never come to it
  return builder.Insert(copy);
}

}  // namespace pintle::plugins::opencl_c
