#include "wgsl/touches.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace pintle::wgsl {
namespace {

class Walk {
 public:
  explicit Walk(const Declarations& all) : all_(all) {
    for (const Function& function : all.functions) functions_.emplace(function.name, &function);
    for (const Variable& variable : all.variables) variables_.insert(variable.name);
  }

  /// The function, and all that are called from it.
  void into(const Function& first) {
    std::vector<const Function*> next{&first};
    seen_.insert(first.name);
    while (!next.empty()) {
      const Function& function = *next.back();
      next.pop_back();
      look_into(function, next);
    }
  }

  Touched touched;

 private:
  void look_into(const Function& function, std::vector<const Function*>& next) {
    const std::set<std::string_view> own = names_of(function);
    for (std::size_t at = function.begin; at < function.end; ++at) {
      const Token& token = all_.tokens[at];
      if (!token.is_word() || (at != 0 && all_.tokens[at - 1].is("."))) continue;
      const auto called = functions_.find(token.text);
      if (called != functions_.end() && seen_.insert(token.text).second) next.push_back(called->second);
      if (!variables_.contains(token.text)) continue;
      touched.used.insert(token.text);
      if (!own.contains(token.text)) note(at, function.end);
    }
  }

  /// Names that the function declares.
  [[nodiscard]] std::set<std::string_view> names_of(const Function& function) const {
    std::set<std::string_view> names(function.parameters.begin(), function.parameters.end());
    for (std::size_t at = function.begin; at + 1 < function.end; ++at) {
      const Token& token = all_.tokens[at];
      if (!token.is("let") && !token.is("const") && !token.is("var")) continue;
      std::size_t name = at + 1;
      if (all_.tokens[name].is("<")) {
        while (name < function.end && !all_.tokens[name].is(">")) ++name;
        ++name;
      }
      names.insert(all_.tokens[name].text);
    }
    return names;
  }

  /// Behind the indices and members that follow the name at `at`.
  [[nodiscard]] std::size_t behind_place(std::size_t at, std::size_t end) const {
    std::size_t depth = 0;
    for (++at; at < end; ++at) {
      const Token& token = all_.tokens[at];
      if (token.is("[")) ++depth;
      else if (token.is("]") && depth != 0) --depth;
      else if (depth == 0 && token.is(".")) ++at;
      else if (depth == 0) return at;
    }
    return end;
  }

  void note(std::size_t at, std::size_t end) {
    const std::string_view name = all_.tokens[at].text;
    if (const auto address = address_of(at)) return note_pointer(name, *address);
    const std::size_t next = behind_place(at, end);
    const auto is = [&](std::size_t place, std::string_view text) {
      return place < end && all_.tokens[place].is(text);
    };
    const bool is_equal = is(next, "=") && is(next + 1, "=");
    const bool is_assigned = is(next, "=") && !is_equal;
    if (is_assigned || is_compound(next, end)) touched.written.insert(name);
    if (!is_assigned) touched.read.insert(name);
  }

  /// The function that the place's address is the first argument of, empty for another use of it; nothing where the
  /// place at `at` is not one whose address is taken.
  [[nodiscard]] std::optional<std::string_view> address_of(std::size_t at) const {
    std::size_t begin = at;
    while (begin >= 1 && all_.tokens[begin - 1].is("(")) --begin;
    if (begin < 1 || !all_.tokens[begin - 1].is("&") || is_operand_before(begin - 1)) return std::nullopt;
    const bool is_first = begin == at && begin >= 3 && all_.tokens[begin - 2].is("(");
    return is_first ? all_.tokens[begin - 3].text : std::string_view();
  }

  /// Whether the `&` at `at` stands between two operands.
  [[nodiscard]] bool is_operand_before(std::size_t at) const {
    if (at == 0) return false;
    const Token& before = all_.tokens[at - 1];
    return before.is_word() || before.kind == Token::Kind::number || before.is(")") || before.is("]") || before.is("&");
  }

  /// `x += 1`, `x <<= 1`, `x++`.
  [[nodiscard]] bool is_compound(std::size_t at, std::size_t end) const {
    if (at + 2 >= end) return false;
    const Token& first = all_.tokens[at];
    const Token& second = all_.tokens[at + 1];
    const bool is_beside = second.offset == first.offset + 1;
    if (!is_beside || first.kind != Token::Kind::symbol) return false;
    if (second.is("=")) return std::string_view("+-*/%&|^").contains(first.text);
    if (first.text == second.text && (first.is("+") || first.is("-")))
      return all_.tokens[at + 2].is(";") || all_.tokens[at + 2].is(")");
    return first.text == second.text && (first.is("<") || first.is(">")) && all_.tokens[at + 2].is("=") &&
           all_.tokens[at + 2].offset == second.offset + 1;
  }

  /// The pointer is an argument of `function`.
  void note_pointer(std::string_view name, std::string_view function) {
    if (function == "arrayLength") return;
    if (!function.starts_with("atomic")) {
      touched.escaped.insert(name);
      return;
    }
    if (function != "atomicLoad") touched.written.insert(name);
    if (function != "atomicStore") touched.read.insert(name);
  }

  const Declarations& all_;
  std::map<std::string_view, const Function*> functions_;
  std::set<std::string_view> variables_;
  std::set<std::string_view> seen_;
};

}  // namespace

Touched touched_by(const Declarations& all, const Function& function) {
  Walk walk(all);
  walk.into(function);
  return std::move(walk.touched);
}

}  // namespace pintle::wgsl
