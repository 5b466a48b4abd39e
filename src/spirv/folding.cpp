#include "spirv/folding.h"

#include <cstring>
#include <vector>

namespace pintle::spirv {
namespace {

constexpr unsigned most_levels = 32;
constexpr std::size_t most_steps = 10'000;  // an operation may use one constant twice, and so on

using Value = std::optional<std::int64_t>;

Value divide(std::int64_t a, std::int64_t b) { return b == 0 ? Value() : a / b; }

/// The remainder has the sign of `b` (`SMod`).
Value modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Value shifted(std::int64_t value, std::int64_t by, std::uint32_t operation) {
  if (by < 0 || by >= 32) return std::nullopt;
  if (operation == op::shift_left_logical) return value * (std::int64_t{1} << by);
  if (operation == op::shift_right_logical) return static_cast<std::int64_t>(static_cast<std::uint32_t>(value) >> by);
  return value >> by;
}

/// An operation on two numbers, not yet cut to the type of the result. Numbers are extended by their own types, so that
/// a comparison without signs of numbers with signs is the only one that has to look at its words.
Value apply(std::uint32_t operation, std::int64_t a, std::int64_t b) {
  const auto word_a = static_cast<std::uint32_t>(a), word_b = static_cast<std::uint32_t>(b);
  switch (operation) {
    case op::i_add: return a + b;
    case op::i_sub: return a - b;
    case op::i_mul: return static_cast<std::int64_t>(word_a * word_b);
    case op::u_div: return divide(word_a, word_b);
    case op::s_div: return divide(static_cast<std::int32_t>(word_a), static_cast<std::int32_t>(word_b));
    case op::u_mod: return modulo(word_a, word_b);
    case op::s_mod: return modulo(static_cast<std::int32_t>(word_a), static_cast<std::int32_t>(word_b));
    case op::s_rem: return b == 0 ? Value() : a % b;
    case op::shift_left_logical:
    case op::shift_right_logical:
    case op::shift_right_arithmetic: return shifted(a, b, operation);
    case op::bitwise_or:
    case op::logical_or: return a | b;
    case op::bitwise_xor: return a ^ b;
    case op::bitwise_and:
    case op::logical_and: return a & b;
    case op::logical_equal:
    case op::i_equal: return word_a == word_b;
    case op::logical_not_equal:
    case op::i_not_equal: return word_a != word_b;
    case op::u_greater_than: return word_a > word_b;
    case op::u_greater_than_equal: return word_a >= word_b;
    case op::u_less_than: return word_a < word_b;
    case op::u_less_than_equal: return word_a <= word_b;
    case op::s_greater_than: return a > b;
    case op::s_greater_than_equal: return a >= b;
    case op::s_less_than: return a < b;
    case op::s_less_than_equal: return a <= b;
    default: return std::nullopt;
  }
}

Value apply(std::uint32_t operation, std::int64_t a) {
  switch (operation) {
    case op::u_convert:
    case op::s_convert: return a;
    case op::s_negate: return -a;
    case op::bit_not: return ~a;
    case op::logical_not: return a == 0;
    default: return std::nullopt;
  }
}

class Folding {
 public:
  Folding(const Tables& tables, const Specialization& specialization)
      : tables_(tables), specialization_(specialization) {}

  Value value(std::uint32_t id, unsigned level) {
    const Definition* const constant = tables_.find(id);
    if (constant == nullptr || level > most_levels || ++steps_ > most_steps) return std::nullopt;
    const bool is_plain = (constant->op >= op::constant_true && constant->op <= op::constant) ||
                          (constant->op >= op::spec_constant_true && constant->op <= op::spec_constant);
    if (constant->op == op::spec_constant_op) return cut(operation(*constant, level), constant->type);
    return is_plain ? cut(given(id).value_or(constant->value), constant->type) : std::nullopt;
  }

 private:
  [[nodiscard]] Value given(std::uint32_t id) const {
    const auto spec_id = tables_.decorated(id, no_member, decoration::spec_id);
    if (!spec_id) return std::nullopt;
    for (const auto& one : specialization_.values) {
      if (one.spec_id != *spec_id || one.size > sizeof(std::uint32_t)) continue;
      std::uint32_t word = 0;
      std::memcpy(&word, specialization_.data.data() + one.offset, one.size);
      return word;
    }
    return std::nullopt;
  }

  /// The bits that the type has, extended as it says.
  [[nodiscard]] Value cut(Value value, std::uint32_t type) const {
    const Definition* const of = tables_.find(type);
    if (!value || of == nullptr) return std::nullopt;
    if (of->op == op::type_bool) return *value != 0;
    if (of->op != op::type_int || of->value > 32) return std::nullopt;
    const std::int64_t end = std::int64_t{1} << of->value;
    const std::int64_t bits = *value & (end - 1);
    return of->is_signed && bits >= end / 2 ? bits - end : bits;
  }

  Value operation(const Definition& of, unsigned level) {
    if (of.value == op::composite_extract) return extract(of, level);
    std::vector<std::int64_t> numbers;
    for (const std::uint32_t part : of.parts) {
      const Value number = value(part, level + 1);
      if (!number) return std::nullopt;
      numbers.push_back(*number);
    }
    if (of.value == op::select && numbers.size() == 3) return numbers[0] != 0 ? numbers[1] : numbers[2];
    if (numbers.size() == 1) return apply(of.value, numbers[0]);
    return numbers.size() == 2 ? apply(of.value, numbers[0], numbers[1]) : Value();
  }

  /// A component of a vector, by one literal index.
  Value extract(const Definition& of, unsigned level) {
    const Definition* const whole = of.parts.size() == 2 ? tables_.find(of.parts[0]) : nullptr;
    const bool has_parts =
        whole != nullptr && (whole->op == op::constant_composite || whole->op == op::spec_constant_composite);
    if (!has_parts || of.parts[1] >= whole->parts.size()) return std::nullopt;
    return value(whole->parts[of.parts[1]], level + 1);
  }

  const Tables& tables_;
  const Specialization& specialization_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<std::int64_t> fold(const Tables& tables, std::uint32_t id, const Specialization& specialization) {
  return Folding(tables, specialization).value(id, 0);
}

}  // namespace pintle::spirv
