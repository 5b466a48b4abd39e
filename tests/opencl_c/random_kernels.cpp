#include "random_kernels.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace pintle::test::random {
namespace {

struct Operation {
  const char* text;  ///< `a` and `b` stand for the parts.
  std::uint32_t (*value)(std::uint32_t a, std::uint32_t b);
};

using Word = std::uint32_t;
std::int32_t as_int(Word a) { return static_cast<std::int32_t>(a); }

constexpr std::array operations{
    Operation{"(a + b)", [](Word a, Word b) { return a + b; }},
    Operation{"(a - b)", [](Word a, Word b) { return a - b; }},
    Operation{"(a * b)", [](Word a, Word b) { return a * b; }},
    Operation{"(a ^ b)", [](Word a, Word b) { return a ^ b; }},
    Operation{"(a & b)", [](Word a, Word b) { return a & b; }},
    Operation{"(a | b)", [](Word a, Word b) { return a | b; }},
    Operation{"(a << (b & 31))", [](Word a, Word b) { return a << (b & 31); }},
    Operation{"(a >> (b & 31))", [](Word a, Word b) { return a >> (b & 31); }},
    Operation{"(a / (b | 1))", [](Word a, Word b) { return a / (b | 1); }},
    Operation{"(a % (b | 1))", [](Word a, Word b) { return a % (b | 1); }},
    Operation{"min(a, b)", [](Word a, Word b) { return std::min(a, b); }},
    Operation{"max(a, b)", [](Word a, Word b) { return std::max(a, b); }},
    Operation{"rotate(a, b)", [](Word a, Word b) { return std::rotl(a, static_cast<int>(b & 31)); }},
    Operation{"mul_hi(a, b)", [](Word a, Word b) { return static_cast<Word>(std::uint64_t{a} * b >> 32); }},
    Operation{"add_sat(a, b)", [](Word a, Word b) { return a + b < a ? ~0U : a + b; }},
    Operation{"abs_diff(a, b)", [](Word a, Word b) { return a < b ? b - a : a - b; }},
    // From here on: comparisons.
    Operation{"(uint)(a < b)", [](Word a, Word b) { return Word{a < b}; }},
    Operation{"(uint)(a <= b)", [](Word a, Word b) { return Word{a <= b}; }},
    Operation{"(uint)(a == b)", [](Word a, Word b) { return Word{a == b}; }},
    Operation{"(uint)(a != b)", [](Word a, Word b) { return Word{a != b}; }},
    Operation{"(uint)((int)a < (int)b)", [](Word a, Word b) { return Word{as_int(a) < as_int(b)}; }},
    Operation{"(uint)((int)a >= (int)b)", [](Word a, Word b) { return Word{as_int(a) >= as_int(b)}; }},
};
constexpr Word first_comparison = 16;

/// The operation's text with those of the parts.
std::string filled(std::string_view pattern, const std::vector<Expression>& parts) {
  std::string text;
  const auto is_letter = [&](std::size_t at) {
    return at < pattern.size() && ((pattern[at] >= 'a' && pattern[at] <= 'z') || pattern[at] == '_');
  };
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const bool is_alone = is_letter(at) && !is_letter(at + 1) && (at == 0 || !is_letter(at - 1));
    if (is_alone && pattern[at] <= 'b') text += parts[pattern[at] == 'a' ? 0 : 1].text();
    else text += pattern[at];
  }
  return text;
}

std::string number(Word value) { return std::to_string(value); }

}  // namespace

std::string Expression::text() const {
  switch (kind) {
    case Kind::constant: return number(value) + "u";
    case Kind::scalar: return "n";
    case Kind::variable: return "v" + number(value);
    case Kind::counter: return "k" + number(value);
    case Kind::element: return "own[" + parts[0].text() + " & 3]";
    case Kind::global_id: return "(uint)get_global_id(" + number(value) + ")";
    case Kind::local_id: return "(uint)get_local_id(" + number(value) + ")";
    case Kind::group_id: return "(uint)get_group_id(" + number(value) + ")";
    case Kind::word: return "in[" + parts[0].text() + " % " + number(word_count) + "]";
    case Kind::binary: return filled(operations[value].text, parts);
    case Kind::choice: return "(" + parts[0].text() + " ? " + parts[1].text() + " : " + parts[2].text() + ")";
  }
  return {};
}

namespace {

std::string text_of(const std::vector<Statement>& all, const Sides& group, const std::string& indent) {
  std::string text;
  for (const Statement& one : all) text += one.text(group, indent);
  return text;
}

}  // namespace

std::string Statement::text(const Sides& group, const std::string& indent) const {
  const std::string to = number(target), items = number(group[0] * group[1] * group[2]);
  const auto block = [&](const std::vector<Statement>& all) {
    return " {\n" + text_of(all, group, indent + "  ") + indent + "}";
  };
  switch (kind) {
    case Kind::assign: return indent + "v" + to + " = " + values[0].text() + ";\n";
    case Kind::store: return indent + "own[" + values[1].text() + " & 3] = " + values[0].text() + ";\n";
    case Kind::sum: return indent + "atomic_add(sums + " + to + ", " + values[0].text() + ");\n";
    case Kind::branch:
      return indent + "if (" + values[0].text() + ")" + block(body) +
             (otherwise.empty() ? "" : " else" + block(otherwise)) + "\n";
    case Kind::loop:
      return indent + "for (uint k" + to + " = " + values[0].text() + "; k" + to + " < " + values[1].text() + "; k" +
             to + " += " + number(step) + ")" + block(body) + "\n";
    case Kind::leave: return indent + "break;\n";
    case Kind::go_on: return indent + "continue;\n";
    case Kind::end: return indent + "return;\n";
    case Kind::exchange:
      return indent + "shared[(l + " + number(step) + ") % " + items + "] = " + values[0].text() + ";\n" + indent +
             "barrier(CLK_LOCAL_MEM_FENCE);\n" + indent + "v" + to + " = shared[" + values[1].text() + " % " + items +
             "];\n" + indent + "barrier(CLK_LOCAL_MEM_FENCE);\n";
    case Kind::reduce: return indent + "v" + to + " = work_group_reduce_add(" + values[0].text() + ");\n";
  }
  return {};
}

std::string RandomKernel::text(const std::string& name) const {
  const std::string rows = number(group[1] * counts[1]), width = number(group[0] * counts[0]);
  std::string text = "kernel void " + name +
                     "(global const uint* in, global uint* out, global uint* sums, uint n) {\n"
                     "  const uint l = (uint)((get_local_id(2) * " +
                     number(group[1]) + " + get_local_id(1)) * " + number(group[0]) +
                     " + get_local_id(0));\n"
                     "  const size_t i = (get_global_id(2) * " +
                     rows + " + get_global_id(1)) * " + width + " + get_global_id(0);\n";
  const std::string inside = text_of(body, group, "  ");
  if (inside.contains("shared[")) text += "  local uint shared[" + number(items()) + "];\n";
  if (has_guard) text += "  if (get_global_id(0) >= n) return;\n";
  text += "  uint v0 = 0, v1 = 1, v2 = 2, v3 = 3, own[4] = {4, 5, 6, 7};\n" + inside;
  return text + "  vstore4((uint4)(v0, v1, v2, v3), i, out);\n}\n";
}

std::string RandomKernel::signature(const std::string& name) const {
  return name + "(in: read u32[], out: read_write u32[], sums: read_write u32[], n: u32) group " + number(group[0]) +
         "," + number(group[1]) + "," + number(group[2]);
}

namespace {

using Items = std::vector<bool>;  ///< Which items of the group run.

/// One group of the model. Its items take every statement together, those that run.
class Group {
 public:
  Group(const RandomKernel& kernel, const Sides& id, const Words& in, Words& out, Words& sums)
      : kernel_(kernel), id_(id), in_(in), out_(out), sums_(sums), items_(kernel.items()) {
    for (Word l = 0; l < items_.size(); ++l) {
      Item& item = items_[l];
      item.local = {l % kernel.group[0], l / kernel.group[0] % kernel.group[1], l / kernel.group[0] / kernel.group[1]};
      for (std::size_t d = 0; d < 3; ++d) item.global[d] = id[d] * kernel.group[d] + item.local[d];
    }
  }

  void run() {
    Items all(items_.size());
    for (std::size_t l = 0; l < all.size(); ++l) all[l] = !kernel_.has_guard || items_[l].global[0] < kernel_.n;
    ended_.assign(items_.size(), false);
    run(kernel_.body, all);
    for (std::size_t l = 0; l < all.size(); ++l) {
      if (!all[l] || ended_[l]) continue;
      const Sides& at = items_[l].global;
      const std::size_t width = kernel_.group[0] * kernel_.counts[0], rows = kernel_.group[1] * kernel_.counts[1];
      const std::size_t i = (at[2] * rows + at[1]) * width + at[0];
      std::ranges::copy(items_[l].variables, out_.begin() + static_cast<std::ptrdiff_t>(i * variable_count));
    }
  }

 private:
  struct Item {
    Sides local{}, global{};
    std::array<Word, variable_count> variables{0, 1, 2, 3};
    std::array<Word, 4> own{4, 5, 6, 7};
    std::array<Word, 4> counters{};
  };

  [[nodiscard]] Word value(const Expression& of, const Item& item) const {
    using Kind = Expression::Kind;
    const auto part = [&](std::size_t k) { return value(of.parts[k], item); };
    switch (of.kind) {
      case Kind::constant: return of.value;
      case Kind::scalar: return kernel_.n;
      case Kind::variable: return item.variables[of.value];
      case Kind::counter: return item.counters[of.value];
      case Kind::element: return item.own[part(0) & 3];
      case Kind::global_id: return item.global[of.value];
      case Kind::local_id: return item.local[of.value];
      case Kind::group_id: return id_[of.value];
      case Kind::word: return in_[part(0) % word_count];
      case Kind::binary: return operations[of.value].value(part(0), part(1));
      case Kind::choice: return part(0) != 0 ? part(1) : part(2);
    }
    return 0;
  }

  void run(const std::vector<Statement>& all, const Items& running) {
    for (const Statement& one : all) run(one, running);
  }

  [[nodiscard]] bool runs(std::size_t l, const Items& running) const {
    return running[l] && !ended_[l] && !left_[l] && !skipped_[l];
  }

  void each(const Items& running, const std::function<void(Item&, std::size_t)>& what) {
    for (std::size_t l = 0; l < items_.size(); ++l)
      if (runs(l, running)) what(items_[l], l);
  }

  void run(const Statement& one, const Items& running) {
    using Kind = Statement::Kind;
    switch (one.kind) {
      case Kind::assign:
        return each(running, [&](Item& item, std::size_t) { item.variables[one.target] = value(one.values[0], item); });
      case Kind::store:
        return each(running, [&](Item& item, std::size_t) {
          item.own[value(one.values[1], item) & 3] = value(one.values[0], item);
        });
      case Kind::sum:
        return each(running, [&](Item& item, std::size_t) { sums_[one.target] += value(one.values[0], item); });
      case Kind::branch: return branch(one, running);
      case Kind::loop: return loop(one, running);
      case Kind::leave: return each(running, [&](Item&, std::size_t l) { left_[l] = true; });
      case Kind::go_on: return each(running, [&](Item&, std::size_t l) { skipped_[l] = true; });
      case Kind::end: return each(running, [&](Item&, std::size_t l) { ended_[l] = true; });
      case Kind::exchange: return exchange(one, running);
      case Kind::reduce: {
        Word sum = 0;
        each(running, [&](Item& item, std::size_t) { sum += value(one.values[0], item); });
        return each(running, [&](Item& item, std::size_t) { item.variables[one.target] = sum; });
      }
    }
  }

  void branch(const Statement& one, const Items& running) {
    Items yes(items_.size()), no(items_.size());
    each(running, [&](Item& item, std::size_t l) { (value(one.values[0], item) != 0 ? yes : no)[l] = true; });
    run(one.body, yes);
    run(one.otherwise, no);
  }

  void loop(const Statement& one, const Items& running) {
    Items in_loop(items_.size());
    each(running, [&](Item& item, std::size_t l) {
      item.counters[one.target] = value(one.values[0], item);
      in_loop[l] = true;
    });
    const Items left_before = left_, skipped_before = skipped_;
    for (;;) {
      bool goes_on = false;
      for (std::size_t l = 0; l < items_.size(); ++l) {
        in_loop[l] =
            in_loop[l] && !ended_[l] && !left_[l] && items_[l].counters[one.target] < value(one.values[1], items_[l]);
        goes_on = goes_on || in_loop[l];
      }
      if (!goes_on) break;
      run(one.body, in_loop);
      for (std::size_t l = 0; l < items_.size(); ++l) {
        skipped_[l] = false;
        if (in_loop[l]) items_[l].counters[one.target] += one.step;
      }
    }
    left_ = left_before;
    skipped_ = skipped_before;
  }

  void exchange(const Statement& one, const Items& running) {
    Words shared(items_.size());
    each(running,
         [&](Item& item, std::size_t l) { shared[(l + one.step) % items_.size()] = value(one.values[0], item); });
    each(running, [&](Item& item, std::size_t) {
      item.variables[one.target] = shared[value(one.values[1], item) % items_.size()];
    });
  }

  const RandomKernel& kernel_;
  Sides id_;
  const Words& in_;
  Words& out_;
  Words& sums_;
  std::vector<Item> items_;
  Items ended_;
  Items left_ = Items(items_.size()), skipped_ = Items(items_.size());
};

}  // namespace

void RandomKernel::run(const Words& in, Words& out, Words& sums) const {
  for (Word z = 0; z < counts[2]; ++z)
    for (Word y = 0; y < counts[1]; ++y)
      for (Word x = 0; x < counts[0]; ++x) Group(*this, {x, y, z}, in, out, sums).run();
}

namespace {

/// What may be written where: counters of the loops around, and whether all items of the group come here.
struct Scope {
  std::vector<bool> counters{};  ///< By depth, whether all items of the group have one value.
  bool is_uniform = true;
  bool may_return = false;
  unsigned depth = 0;
};

class Writer {
 public:
  explicit Writer(std::mt19937& random) : random_(random) {}

  RandomKernel kernel() {
    RandomKernel made;
    constexpr std::array<Word, 12> widths{1, 1, 2, 3, 4, 5, 8, 12, 16, 17, 32, 64};
    constexpr std::array<Word, 8> others{1, 1, 1, 1, 2, 3, 4, 9};
    do made.group = {one_of(widths), one_of(others), one_of(others)};
    while (made.items() > 256);
    made.counts = {1 + below(9), 1 + below(4), 1 + below(2)};
    made.n = below(3) == 0 ? below(400) : below(20);
    has_barriers_ = below(2) == 0;
    made.has_guard = !has_barriers_ && below(3) == 0;
    Scope scope;
    scope.may_return = !has_barriers_;
    made.body = statements(scope, 3 + below(4));
    return made;
  }

 private:
  Word below(Word end) { return static_cast<Word>(random_() % end); }
  template <class T, std::size_t n>
  T one_of(const std::array<T, n>& all) {
    return all[below(n)];
  }

  Expression leaf(const Scope& scope, bool is_uniform) {
    using Kind = Expression::Kind;
    switch (below(is_uniform ? 4 : 8)) {
      case 0: return {Kind::constant, below(4) == 0 ? static_cast<Word>(random_()) : below(17), {}};
      case 1: return {Kind::scalar, 0, {}};
      case 2: return {Kind::group_id, below(3), {}};
      case 3: return counter(scope, is_uniform);
      case 4: return {Kind::global_id, below(3), {}};
      case 5: return {Kind::local_id, below(3), {}};
      default: return {Kind::variable, below(variable_count), {}};
    }
  }

  Expression counter(const Scope& scope, bool is_uniform) {
    const auto depth = static_cast<Word>(scope.counters.size());
    const Word which = depth == 0 ? 0 : below(depth);
    if (depth == 0 || (is_uniform && !scope.counters[which])) return {Expression::Kind::constant, below(9), {}};
    return {Expression::Kind::counter, which, {}};
  }

  Expression expression(const Scope& scope, bool is_uniform, unsigned depth = 0) {
    using Kind = Expression::Kind;
    if (depth >= 3 || below(3) == 0) return leaf(scope, is_uniform);
    const auto part = [&] { return expression(scope, is_uniform, depth + 1); };
    switch (below(8)) {
      case 0: return {Kind::word, 0, {part()}};
      case 1: return is_uniform ? leaf(scope, true) : Expression{Kind::element, 0, {part()}};
      case 2: {
        Expression condition = comparison(scope, is_uniform);
        Expression yes = part();
        return {Kind::choice, 0, {std::move(condition), std::move(yes), part()}};
      }
      default: {
        Expression left = part();
        return {Kind::binary, below(static_cast<Word>(operations.size())), {std::move(left), part()}};
      }
    }
  }

  Expression comparison(const Scope& scope, bool is_uniform) {
    Expression left = below(2) == 0 ? leaf(scope, is_uniform) : expression(scope, is_uniform, 2);
    const Word which = first_comparison + below(static_cast<Word>(operations.size()) - first_comparison);
    return {Expression::Kind::binary, which, {std::move(left), leaf(scope, is_uniform)}};
  }

  std::vector<Statement> statements(const Scope& scope, Word count) {
    std::vector<Statement> all;
    while (count-- != 0) all.push_back(statement(scope));
    return all;
  }

  Statement statement(const Scope& scope) {
    using Kind = Statement::Kind;
    const bool is_deep = scope.depth >= 3;
    switch (below(12)) {
      case 0: return {Kind::store, 0, 1, {expression(scope, false), expression(scope, false, 2)}, {}, {}};
      case 1: return {Kind::sum, below(sum_count), 1, {expression(scope, false)}, {}, {}};
      case 2:
      case 3: return is_deep ? assignment(scope) : branch(scope);
      case 4:
      case 5: return is_deep ? assignment(scope) : loop(scope);
      case 6:
      case 7: return has_barriers_ && scope.is_uniform ? meeting(scope) : assignment(scope);
      case 8: return way_out(scope);
      default: return assignment(scope);
    }
  }

  Statement assignment(const Scope& scope) {
    return {Statement::Kind::assign, below(variable_count), 1, {expression(scope, false)}, {}, {}};
  }

  Statement meeting(const Scope& scope) {
    if (below(3) == 0) return {Statement::Kind::reduce, below(variable_count), 1, {expression(scope, false)}, {}, {}};
    return {Statement::Kind::exchange,
            below(variable_count),
            below(9),
            {expression(scope, false), expression(scope, false, 1)},
            {},
            {}};
  }

  Statement branch(const Scope& scope) {
    Scope inner = scope;
    ++inner.depth;
    const bool is_uniform = below(3) == 0;
    inner.is_uniform = scope.is_uniform && is_uniform;
    Statement made{Statement::Kind::branch, 0, 1, {comparison(scope, is_uniform)}, {}, {}};
    made.body = statements(inner, 1 + below(3));
    if (below(2) == 0) made.otherwise = statements(inner, 1 + below(2));
    return made;
  }

  /// Few rounds: from a small number, or an item's place, to another.
  Statement loop(const Scope& scope) {
    using Kind = Expression::Kind;
    if (scope.counters.size() == 4) return assignment(scope);
    const bool is_uniform = below(2) == 0;
    Expression first{Kind::constant, below(4), {}};
    if (!is_uniform && below(2) == 0) first = {Kind::local_id, below(3), {}};
    const Expression most{Kind::constant, below(2) == 0 ? 9U : 30U, {}};
    constexpr Word least_of = 10;  // min
    Expression last{Kind::binary, least_of, {leaf(scope, is_uniform), most}};
    if (reads_variables(last)) last = {Kind::binary, least_of, {{Kind::local_id, below(3), {}}, most}};
    Scope inner = scope;
    ++inner.depth;
    inner.is_uniform = scope.is_uniform && is_uniform;
    inner.counters.push_back(is_uniform);
    Statement made{Statement::Kind::loop,
                   static_cast<Word>(scope.counters.size()),
                   1 + below(4) * below(2) * 4,
                   {std::move(first), std::move(last)},
                   {},
                   {}};
    made.body = statements(inner, 1 + below(3));
    return made;
  }

  static bool reads_variables(const Expression& one) {
    return one.kind == Expression::Kind::variable || std::ranges::any_of(one.parts, reads_variables);
  }

  /// An item leaves a loop, a round or the kernel. Where barriers may follow, all items of the group do.
  Statement way_out(const Scope& scope) {
    using Kind = Statement::Kind;
    const bool is_in_loop = !scope.counters.empty();
    if (!is_in_loop && !scope.may_return) return assignment(scope);
    const bool is_uniform = has_barriers_;
    if (is_uniform && !scope.is_uniform) return assignment(scope);
    Statement made{Kind::branch, 0, 1, {comparison(scope, is_uniform)}, {}, {}};
    const Kind how = !is_in_loop || (scope.may_return && below(3) == 0) ? Kind::end
                     : below(2) == 0                                    ? Kind::leave
                                                                        : Kind::go_on;
    made.body.push_back({how, 0, 1, {}, {}, {}});
    return made;
  }

  std::mt19937& random_;
  bool has_barriers_ = false;
};

}  // namespace

RandomKernel random_kernel(std::mt19937& random) { return Writer(random).kernel(); }

}  // namespace pintle::test::random
