#include "stablehlo/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parse.h"
#include "base/quote.h"

namespace pintle::stablehlo {
namespace {

constexpr std::size_t longest_other_type = 256;

/// The bracket that closes one; empty for what opens none.
std::string_view closer_of(const Token& token) noexcept {
  if (token.is("(")) return ")";
  if (token.is("[")) return "]";
  if (token.is("{")) return "}";
  if (token.is("{-#")) return "#-}";
  return token.is("<") ? ">" : "";
}

bool closes(const Token& token) noexcept { return token.is(")") || token.is("]") || token.is("}") || token.is("#-}"); }

/// Writes the uses of the tokens that it is given into one piece at a time.
class Notes {
 public:
  /// Null: nothing is written.
  void turn_to(Uses* uses) noexcept { uses_ = uses; }

  void add(const Token& token) {
    if (uses_ == nullptr) return;
    if (token.is_name('@')) uses_->functions.push_back(token);
    if (token.is_name('!') || token.is_name('#')) uses_->aliases.push_back(token.text);
    if (side_ == Side::here && token.is("?")) uses_->open.push_back(token.offset);
    side_ = behind(token);
  }

 private:
  enum class Side : std::uint8_t { none, behind_tensor, here };

  /// Whether the next token may be a side, or a part of one: `4x`, `x`.
  [[nodiscard]] Side behind(const Token& token) const noexcept {
    if (token.kind == Token::Kind::word && token.is("tensor")) return Side::behind_tensor;
    if (side_ == Side::behind_tensor) return token.is("<") ? Side::here : Side::none;
    const bool is_part = token.is("?") || (token.kind == Token::Kind::word &&
                                           token.text.find_first_not_of("0123456789x") == std::string_view::npos);
    return side_ == Side::here && is_part ? Side::here : Side::none;
  }

  Uses* uses_ = nullptr;
  Side side_ = Side::none;
};

/// Reads functions and aliases. The plug-in's own parser decides whether the text is right.
class Parser {
 public:
  explicit Parser(Declarations& all) : all_(all), lexer_(all.text) { advance(); }

  Result<void> read() {
    while (now_.kind != Token::Kind::end) PINTLE_TRY(read_one());
    if (failure_) return *failure_;
    if (module_) return without_end(*module_);
    return {};
  }

 private:
  [[nodiscard]] bool is(std::string_view text) const noexcept { return now_.is(text); }

  /// Where the text cannot be cut on, it ends: `failure_` says why.
  void advance() {
    notes_.add(now_);
    end_ = now_.end();
    auto next = lexer_.next();
    if (!next) failure_ = next.error();
    now_ = next ? *next : Token{Token::Kind::end, {}, end_};
  }
  bool take(std::string_view text) {
    const bool is_there = is(text);
    if (is_there) advance();
    return is_there;
  }

  [[nodiscard]] Error unexpected(std::string_view wanted) const {
    if (failure_) return *failure_;
    const std::string place = place_of(all_.text, now_.offset);
    if (now_.kind == Token::Kind::end)
      return {Errc::invalid_argument, fmt::format("The text ends at {}, where {} is expected.", place, wanted)};
    return {Errc::invalid_argument,
            fmt::format("The text has {} at {}, where {} is expected.", base::quote(now_.text), place, wanted)};
  }
  [[nodiscard]] Error without_end(const Token& bracket) const {
    if (failure_) return *failure_;
    return {Errc::invalid_argument, fmt::format("A bracket \"{}\" begins at {} and has no end.", bracket.text,
                                                place_of(all_.text, bracket.offset))};
  }
  Result<void> need(std::string_view text) {
    if (take(text)) return {};
    return unexpected(base::quote(text));
  }

  /// Behind the bracket that closes the one here. "<" and ">" count only where the first bracket is "<": in a body they
  /// may stand alone.
  Result<void> skip_balanced() {
    const bool counts_angles = is("<");
    std::vector<Token> open;
    do {
      if (now_.kind == Token::Kind::end) return without_end(open.back());
      const bool is_angle = is("<") || is(">");
      if (!closer_of(now_).empty() && (counts_angles || !is_angle)) {
        open.push_back(now_);
      } else if (closes(now_) || (is(">") && open.back().is("<"))) {
        if (!is(closer_of(open.back()))) return unexpected(base::quote(closer_of(open.back())));
        open.pop_back();
      }
      advance();
    } while (!open.empty());
    return {};
  }

  /// `loc(...)`
  Result<void> skip_location() {
    if (take("loc") && is("(")) return skip_balanced();
    return {};
  }

  /// A type has several parts where it is that of a function.
  Result<Span> skip_type() {
    const std::size_t begin = now_.offset;
    do {
      if (is("(")) {
        PINTLE_TRY(skip_balanced());
        continue;
      }
      if (now_.kind != Token::Kind::word && !now_.is_name('!')) return unexpected("a type");
      advance();
      if (is("<")) PINTLE_TRY(skip_balanced());
    } while (take("->"));
    return Span{begin, end_};
  }

  [[nodiscard]] std::string_view text_of(const Span& span) const noexcept {
    return std::string_view(all_.text).substr(span.begin, span.end - span.begin);
  }

  [[nodiscard]] Output typed(const Span& span) const {
    const std::string_view text = text_of(span);
    const auto alias = all_.aliases.find(text);
    if (alias != all_.aliases.end()) return {alias->second.type, std::string(text.substr(1))};
    if (auto type = read_type(text)) return {*std::move(type), {}};
    return {{std::string(text.substr(0, longest_other_type)), {}}, {}};
  }

  Result<void> read_one() {
    if (now_.is_name('!') || now_.is_name('#')) return read_alias();
    if (is("func.func")) return read_function();
    if ((is("module") || is("builtin.module")) && !module_) return read_module();
    if (is("}") && module_) {
      module_.reset();
    } else if (closes(now_)) {
      return unexpected("an operation");
    } else if (!closer_of(now_).empty() && !is("<")) {
      return skip_balanced();
    }
    advance();
    return {};
  }

  Result<void> read_module() {
    advance();
    if (now_.is_name('@')) advance();
    if (take("attributes") && is("{")) PINTLE_TRY(skip_balanced());
    module_ = now_;
    return need("{");
  }

  /// Other names at this place are parts of something else.
  Result<void> read_alias() {
    const Token name = now_;
    advance();
    if (name.text.size() == 1 || !take("=")) return {};
    if (all_.aliases.contains(name.text)) {
      return Error(Errc::invalid_argument, fmt::format("The alias {} has a second definition at {}.",
                                                       base::quote(name.text), place_of(all_.text, name.offset)));
    }
    Alias alias;
    notes_.turn_to(&alias.uses);
    if (name.is_name('!')) {
      PINTLE_ASSIGN(span, skip_type());
      define(alias, name, span);
    } else {
      PINTLE_TRY(skip_value());
    }
    notes_.turn_to(nullptr);
    all_.aliases[name.text] = std::move(alias);
    return {};
  }

  /// The value of an attribute: `loc("x"(#loc1))`, `dense<0> : tensor<4xi32>`, `@a::@b`.
  Result<void> skip_value() {
    do {
      while (take("-") || take(":")) continue;
      if (now_.kind == Token::Kind::end || closes(now_)) return unexpected("a value");
      if (closer_of(now_).empty()) advance();
      while (is("<") || is("(") || is("[") || is("{")) PINTLE_TRY(skip_balanced());
    } while (is(":") || take("->"));
    return {};
  }

  void define(Alias& alias, const Token& name, const Span& span) const {
    const std::string_view text = text_of(span);
    const auto other = all_.aliases.find(text);
    auto type = read_type(text);
    if (other != all_.aliases.end()) {
      alias.definition = other->second.definition;
    } else if (type && type->open_sides() == alias.uses.open.size()) {
      alias.definition = name.text;
    }
    alias.type = typed(span).type;
  }

  Result<void> read_function() {
    Function function;
    FunctionPlace place;
    place.all.begin = now_.offset;
    advance();
    place.visibility = {now_.offset, now_.offset};
    if (is("public") || is("private") || is("nested")) {
      function.is_private = is("private");
      place.visibility.end = now_.end();
      advance();
    }
    if (!now_.is_name('@')) return unexpected("the name of a function");
    place.name = now_;
    function.name = symbol_name(now_.text);
    advance();
    notes_.turn_to(&place.uses);
    PINTLE_TRY(read_signature(function, place));
    if (take("attributes")) {
      if (!is("{")) return unexpected("\"{\"");
      PINTLE_TRY(skip_balanced());
    }
    PINTLE_TRY(skip_location());
    function.has_body = is("{");
    if (function.has_body) PINTLE_TRY(skip_balanced());
    PINTLE_TRY(skip_location());
    notes_.turn_to(nullptr);
    place.all.end = end_;
    all_.by_name.emplace(function.name, all_.functions.size());
    all_.functions.push_back(std::move(function));
    all_.places.push_back(std::move(place));
    return {};
  }

  Result<void> read_signature(Function& function, FunctionPlace& place) {
    PINTLE_TRY(need("("));
    while (!take(")")) {
      PINTLE_TRY(read_argument(function, place));
      if (!is(")")) PINTLE_TRY(need(","));
    }
    if (!take("->")) return {};
    if (!is("(")) return read_result(function);
    advance();
    while (!take(")")) {
      PINTLE_TRY(read_result(function));
      if (is("{")) PINTLE_TRY(skip_balanced());
      PINTLE_TRY(skip_location());
      if (!is(")")) PINTLE_TRY(need(","));
    }
    return {};
  }

  Result<void> read_result(Function& function) {
    PINTLE_ASSIGN(span, skip_type());
    function.results.push_back(typed(span));
    return {};
  }

  Result<void> read_argument(Function& function, FunctionPlace& place) {
    Argument argument;
    if (now_.is_name('%')) {
      argument.name = now_.text.substr(1);
      advance();
      PINTLE_TRY(need(":"));
    }
    PINTLE_ASSIGN(span, skip_type());
    Output output = typed(span);
    argument.type = std::move(output.type);
    argument.alias = std::move(output.alias);
    ArgumentPlace argument_place{.attribute = span.end};
    if (is("{")) PINTLE_TRY(read_attributes(argument, argument_place));
    PINTLE_TRY(skip_location());
    function.arguments.push_back(std::move(argument));
    place.arguments.push_back(argument_place);
    return {};
  }

  Result<void> read_attributes(Argument& argument, ArgumentPlace& place) {
    const Token bracket = now_;
    advance();
    place = {bracket.end(), "", is("}") ? "" : ", ", {}};
    while (!take("}")) {
      const Token key = now_;
      PINTLE_TRY(read_attribute(argument, bracket));
      if (key.is("jax.buffer_donor") || key.is("\"jax.buffer_donor\"")) {
        argument.is_donor = true;
        place.donor = {key.offset, end_};
      }
      take(",");
    }
    return {};
  }

  /// To the comma behind it, or to the bracket that closes the attributes.
  Result<void> read_attribute(Argument& argument, const Token& bracket) {
    if ((take("tf.aliasing_output") || take("\"tf.aliasing_output\"")) && take("=")) {
      argument.result = base::parse_number<std::uint32_t>(now_.text);
      if (!argument.result) return unexpected("the number of a result");
    }
    while (!is("}") && !is(",")) {
      if (now_.kind == Token::Kind::end) return without_end(bracket);
      if (closes(now_)) return unexpected("\"}\"");
      if (!closer_of(now_).empty()) PINTLE_TRY(skip_balanced());
      else advance();
    }
    return {};
  }

  Declarations& all_;
  Lexer lexer_;
  Token now_{};
  std::size_t end_ = 0;  ///< Behind the token before.
  Notes notes_;
  std::optional<Token> module_;  ///< The bracket of the module that the text is in.
  std::optional<Error> failure_;
};

}  // namespace

Result<std::shared_ptr<const Declarations>> declarations_of(std::string_view text) {
  auto all = std::make_shared<Declarations>();
  all->text = text;
  PINTLE_TRY(Parser(*all).read());
  return std::shared_ptr<const Declarations>(std::move(all));
}

}  // namespace pintle::stablehlo
