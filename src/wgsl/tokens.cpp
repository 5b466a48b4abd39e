#include "wgsl/tokens.h"

#include <fmt/format.h>

#include <cctype>

namespace pintle::wgsl {
namespace {

bool is_of_word(char letter) noexcept {
  const auto byte = static_cast<unsigned char>(letter);
  return std::isalnum(byte) != 0 || letter == '_' || byte >= 0x80;  // names may have letters beyond ASCII
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) noexcept : text_(text) {}

  Result<std::vector<Token>> all() {
    std::vector<Token> tokens;
    while (true) {
      PINTLE_TRY(skip());
      tokens.push_back(next());
      if (tokens.back().kind == Token::Kind::end) return tokens;
    }
  }

 private:
  [[nodiscard]] char at(std::size_t place) const noexcept { return place < text_.size() ? text_[place] : '\0'; }

  void advance() noexcept {
    const bool is_end_of_line = at(at_) == '\n';
    ++at_;
    line_ += is_end_of_line ? 1 : 0;
    column_ = is_end_of_line ? 1 : column_ + 1;
  }

  /// Spaces and comments.
  Result<void> skip() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(at(at_))) != 0) {
        advance();
      } else if (at(at_) == '/' && at(at_ + 1) == '/') {
        while (at_ < text_.size() && at(at_) != '\n') advance();
      } else if (at(at_) == '/' && at(at_ + 1) == '*') {
        PINTLE_TRY(skip_block());
      } else {
        return {};
      }
    }
    return {};
  }

  /// Comments of this kind nest.
  Result<void> skip_block() {
    const std::uint32_t line = line_, column = column_;
    std::size_t depth = 0;
    do {
      const bool opens = at(at_) == '/' && at(at_ + 1) == '*';
      const bool closes = at(at_) == '*' && at(at_ + 1) == '/';
      if (at_ >= text_.size()) {
        return Error(Errc::invalid_argument,
                     fmt::format("A comment begins at line {}, column {} and has no end.", line, column));
      }
      if (opens) ++depth;
      if (closes) --depth;
      if (opens || closes) advance();
      advance();
    } while (depth != 0);
    return {};
  }

  Token next() {
    Token token{Token::Kind::end, {}, at_, line_, column_};
    if (at_ >= text_.size()) return token;
    const bool is_digit = std::isdigit(static_cast<unsigned char>(at(at_))) != 0;
    const bool is_fraction = at(at_) == '.' && std::isdigit(static_cast<unsigned char>(at(at_ + 1))) != 0;
    if (is_digit || is_fraction) {
      token.kind = Token::Kind::number;
      number();
    } else if (is_of_word(at(at_))) {
      token.kind = Token::Kind::word;
      while (at_ < text_.size() && is_of_word(at(at_))) advance();
    } else {
      token.kind = Token::Kind::symbol;
      advance();
    }
    token.text = text_.substr(token.offset, at_ - token.offset);
    return token;
  }

  void number() noexcept {
    const bool is_hexadecimal = at(at_) == '0' && (at(at_ + 1) == 'x' || at(at_ + 1) == 'X');
    while (at_ < text_.size()) {
      const char letter = at(at_), before = at_ == 0 ? '\0' : at(at_ - 1);
      const bool is_exponent = is_hexadecimal ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
      if (!is_of_word(letter) && letter != '.' && !(is_exponent && (letter == '+' || letter == '-'))) return;
      advance();
    }
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

}  // namespace

Result<std::vector<Token>> tokens_of(std::string_view text) { return Lexer(text).all(); }

}  // namespace pintle::wgsl
