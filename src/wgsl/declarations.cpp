#include "wgsl/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/quote.h"

namespace pintle::wgsl {
namespace {

constexpr int deepest_type = 64;

/// Reads one declaration after the other. The driver's own parser decides whether the text is right.
class Parser {
 public:
  explicit Parser(Declarations& all) noexcept : all_(all) {}

  Result<void> read() {
    while (now().kind != Token::Kind::end) {
      if (take(";")) continue;
      Attributes attributes;
      PINTLE_TRY(read_attributes(attributes));
      PINTLE_TRY(read_declaration(std::move(attributes)));
    }
    return {};
  }

 private:
  [[nodiscard]] const Token& now() const noexcept { return all_.tokens[at_]; }
  [[nodiscard]] bool is(std::string_view text) const noexcept { return now().is(text); }
  bool take(std::string_view text) noexcept {
    const bool is_there = is(text);
    if (is_there) ++at_;
    return is_there;
  }
  [[nodiscard]] Error unexpected(std::string_view wanted) const {
    return {Errc::invalid_argument, fmt::format("Line {}, column {} has {}, where {} is expected.", now().line,
                                                now().column, base::quote(now().text), wanted)};
  }
  Result<void> need(std::string_view text) {
    if (take(text)) return {};
    return unexpected(base::quote(text));
  }
  Result<std::string_view> word(std::string_view what) {
    if (!now().is_word()) return unexpected(what);
    return all_.tokens[at_++].text;
  }

  /// Behind the token that closes the one here; `open` is ( [ or {.
  Result<void> skip_balanced() {
    std::size_t depth = 0;
    do {
      if (now().kind == Token::Kind::end) return unexpected("a closing bracket");
      if (is("(") || is("[") || is("{")) ++depth;
      if (is(")") || is("]") || is("}")) --depth;
      ++at_;
    } while (depth != 0);
    return {};
  }

  /// To a token outside of brackets; it is not taken.
  Result<void> skip_to(std::string_view stop, std::string_view or_stop) {
    while (!is(stop) && !is(or_stop)) {
      if (now().kind == Token::Kind::end) return unexpected(base::quote(stop));
      if (is("(") || is("[") || is("{")) PINTLE_TRY(skip_balanced());
      else ++at_;
    }
    return {};
  }

  /// The one token before `stop`; empty where there are more.
  Result<std::string_view> lone_token(std::string_view stop, std::string_view or_stop) {
    const std::size_t begin = at_;
    PINTLE_TRY(skip_to(stop, or_stop));
    return at_ == begin + 1 ? all_.tokens[begin].text : std::string_view();
  }

  Result<void> read_attributes(Attributes& attributes) {
    while (take("@")) {
      PINTLE_ASSIGN(name, word("an attribute"));
      Attribute attribute{name, {}};
      if (take("(")) {
        while (!take(")")) {
          PINTLE_ASSIGN(argument, lone_token(",", ")"));
          attribute.arguments.push_back(argument);
          take(",");
        }
      }
      attributes.push_back(std::move(attribute));
    }
    return {};
  }

  Result<void> read_declaration(Attributes attributes) {
    PINTLE_ASSIGN(what, word("a declaration"));
    if (what == "struct") return read_struct();
    if (what == "alias") return read_alias();
    if (what == "var") return read_variable(std::move(attributes));
    if (what == "override") return read_named(all_.overrides, std::move(attributes));
    if (what == "const") return read_named(all_.constants, std::move(attributes));
    if (what == "fn") return read_function(std::move(attributes));
    if (what == "enable" || what == "requires" || what == "diagnostic" || what == "const_assert")
      return skip_to(";", ";");
    --at_;
    return unexpected("a declaration");
  }

  Result<TypeName> read_type(int depth = 0) {
    if (depth > deepest_type) return unexpected("a type that is less deep");
    if (!now().is_word()) {
      PINTLE_TRY(skip_expression());
      return TypeName{};
    }
    TypeName type{all_.tokens[at_++].text, {}};
    if (!take("<")) return type;
    while (!take(">")) {
      PINTLE_ASSIGN(part, now().kind == Token::Kind::number ? read_number() : read_type(depth + 1));
      type.parts.push_back(std::move(part));
      if (!is(",") && !is(">")) {  // a size that has to be computed
        type.parts.back() = {};
        PINTLE_TRY(skip_expression());
      }
      if (!take(",") && !is(">")) return unexpected(base::quote(">"));
    }
    return type;
  }
  Result<TypeName> read_number() { return TypeName{all_.tokens[at_++].text, {}}; }
  Result<void> skip_expression() {
    while (!is(",") && !is(">") && !is(";") && !is(")")) {
      if (now().kind == Token::Kind::end || is("}")) return unexpected("the end of a type");
      if (is("(") || is("[")) PINTLE_TRY(skip_balanced());
      else ++at_;
    }
    return {};
  }

  Result<void> read_struct() {
    PINTLE_ASSIGN(name, word("the name of a struct"));
    PINTLE_TRY(need("{"));
    auto& members = all_.structs[name];
    while (!take("}")) {
      StructMember member;
      PINTLE_TRY(read_attributes(member.attributes));
      PINTLE_ASSIGN(member_name, word("the name of a member"));
      PINTLE_TRY(need(":"));
      PINTLE_ASSIGN(type, read_type());
      member.name = member_name;
      member.type = std::move(type);
      members.push_back(std::move(member));
      if (!is("}")) PINTLE_TRY(need(","));
    }
    return {};
  }

  Result<void> read_alias() {
    PINTLE_ASSIGN(name, word("the name of a type"));
    PINTLE_TRY(need("="));
    PINTLE_ASSIGN(type, read_type());
    all_.aliases[name] = std::move(type);
    return need(";");
  }

  Result<void> read_variable(Attributes attributes) {
    Variable variable{.attributes = std::move(attributes)};
    if (take("<")) {
      PINTLE_ASSIGN(space, word("an address space"));
      variable.space = space;
      variable.behind_access = now().offset;
      if (take(",") && !is(">")) {
        PINTLE_ASSIGN(access, word("an access"));
        variable.access = access;
        variable.behind_access = now().offset;
      }
      take(",");
      PINTLE_TRY(need(">"));
    }
    PINTLE_ASSIGN(name, word("the name of a variable"));
    variable.name = name;
    if (take(":")) {
      PINTLE_ASSIGN(type, read_type());
      variable.type = std::move(type);
    }
    all_.variables.push_back(std::move(variable));
    PINTLE_TRY(skip_to(";", ";"));
    return need(";");
  }

  Result<void> read_named(std::vector<Named>& list, Attributes attributes) {
    Named named{.attributes = std::move(attributes)};
    PINTLE_ASSIGN(name, word("the name of a constant"));
    named.name = name;
    if (take(":")) {
      PINTLE_ASSIGN(type, read_type());
      named.type = std::move(type);
    }
    if (take("=")) {
      const char* const begin = now().text.data();
      const std::size_t sign = take("-") ? 1 : 0;
      PINTLE_ASSIGN(value, lone_token(";", ";"));
      if (!value.empty() && value.data() == begin + sign) named.value = {begin, sign + value.size()};
    }
    list.push_back(std::move(named));
    return need(";");
  }

  Result<void> read_function(Attributes attributes) {
    Function function{.attributes = std::move(attributes)};
    PINTLE_ASSIGN(name, word("the name of a function"));
    function.name = name;
    const std::size_t begin = at_;
    if (!is("(")) return unexpected("\"(\"");
    PINTLE_TRY(skip_balanced());
    for (std::size_t at = begin; at + 1 < at_; ++at) {
      if (all_.tokens[at].is_word() && all_.tokens[at + 1].is(":")) function.parameters.push_back(all_.tokens[at].text);
    }
    while (!is("{")) {
      if (now().kind == Token::Kind::end) return unexpected("the body of a function");
      ++at_;
    }
    function.begin = at_ + 1;
    PINTLE_TRY(skip_balanced());
    function.end = at_ - 1;
    all_.functions.push_back(std::move(function));
    return {};
  }

  Declarations& all_;
  std::size_t at_ = 0;
};

}  // namespace

const Attribute* find(const Attributes& attributes, std::string_view name) noexcept {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> Declarations::integer(std::string_view text) const {
  const auto constant = std::ranges::find(constants, text, &Named::name);
  if (constant != constants.end()) text = constant->value;
  if (text.ends_with('u') || text.ends_with('i')) text.remove_suffix(1);
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value, is_hexadecimal ? 16 : 10);
  return code == std::errc() && stop == end && !text.empty() ? std::optional(value) : std::nullopt;
}

Result<Declarations> declarations_of(std::string_view text) {
  Declarations all;
  PINTLE_ASSIGN(tokens, tokens_of(text));
  all.tokens = std::move(tokens);
  PINTLE_TRY(Parser(all).read());
  return all;
}

}  // namespace pintle::wgsl
