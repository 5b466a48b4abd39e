#include "stablehlo/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace pintle::stablehlo {
namespace {

bool is_digit(char letter) noexcept { return letter >= '0' && letter <= '9'; }
bool is_of_word(char letter) noexcept {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$' || letter == '.';
}
/// In a name of a value, a type, an attribute or a block.
bool is_of_suffix(char letter) noexcept { return is_of_word(letter) || letter == '-'; }
bool is_sigil(char letter) noexcept {
  return letter == '@' || letter == '%' || letter == '!' || letter == '#' || letter == '^';
}

/// The byte of an escape behind its backslash, and how many letters say it.
struct Escaped {
  char byte;
  std::size_t letters;
};

Escaped escaped(std::string_view behind) noexcept {
  unsigned code = 0;
  const auto [stop, error] =
      std::from_chars(behind.data(), behind.data() + std::min<std::size_t>(behind.size(), 2), code, 16);
  if (error == std::errc() && stop == behind.data() + 2) return {static_cast<char>(code), 2};
  if (behind.front() == 'n') return {'\n', 1};
  if (behind.front() == 't') return {'\t', 1};
  return {behind.front(), 1};
}

}  // namespace

std::string place_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t behind_line = before.rfind('\n') + 1;  // 0 where there is none
  return fmt::format("line {}, column {}", std::ranges::count(before, '\n') + 1, before.size() - behind_line + 1);
}

std::string symbol_name(std::string_view token) {
  token.remove_prefix(1);
  if (!token.starts_with('"')) return std::string(token);
  token = token.substr(1, token.size() - 2);
  std::string name;
  for (std::size_t at = 0; at < token.size(); ++at) {
    if (token[at] != '\\') {
      name += token[at];
      continue;
    }
    const auto [byte, letters] = escaped(token.substr(at + 1));
    name += byte;
    at += letters;
  }
  return name;
}

template <class Predicate>
void Lexer::pass_all(Predicate is_part) noexcept {
  while (at_ < text_.size() && is_part(text_[at_])) ++at_;
}

void Lexer::skip() noexcept {
  while (true) {
    pass_all([](char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; });
    if (at(at_) != '/' || at(at_ + 1) != '/') return;
    pass_all([](char letter) { return letter != '\n'; });
  }
}

Result<Token> Lexer::next() {
  skip();
  Token token{Token::Kind::end, {}, at_};
  if (at_ >= text_.size()) return token;
  const char first = at(at_);
  if (first == '"') {
    token.kind = Token::Kind::string;
    PINTLE_TRY(pass_string());
  } else if (is_of_word(first) && first != '.' && first != '$') {
    token.kind = Token::Kind::word;
    pass_all(is_of_word);
  } else if (is_sigil(first) && !text_.substr(at_).starts_with("#-}")) {
    token.kind = Token::Kind::name;
    PINTLE_TRY(pass_name());
  } else {
    token.kind = pass_symbol();
  }
  token.text = text_.substr(token.offset, at_ - token.offset);
  return token;
}

/// A string ends on its line, as MLIR has it.
Result<void> Lexer::pass_string() {
  const std::size_t begin = at_++;
  while (at(at_) != '"') {
    if (at(at_) == '\\') ++at_;
    if (at_ >= text_.size() || at(at_) == '\n') {
      return Error(Errc::invalid_argument,
                   fmt::format("A string begins at {} and has no end on its line.", place_of(text_, begin)));
    }
    ++at_;
  }
  ++at_;
  return {};
}

Result<void> Lexer::pass_name() {
  const char sigil = text_[at_++];
  if (sigil == '@' && at(at_) == '"') return pass_string();
  if (sigil == '@') pass_all(is_of_word);
  else if (is_digit(at(at_))) pass_all(is_digit);
  else pass_all(is_of_suffix);
  return {};
}

Token::Kind Lexer::pass_symbol() noexcept {
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with("{-#") || rest.starts_with("#-}")) at_ += 3;
  else at_ += rest.starts_with("->") ? 2U : 1U;
  return Token::Kind::symbol;
}

}  // namespace pintle::stablehlo
