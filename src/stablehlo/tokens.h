// The tokens of a StableHLO text, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pintle/error.h"

namespace pintle::stablehlo {

struct Token {
  /// A word has letters, digits, "_", "$" and ".": also `4xf32`. A name begins with one of @ % ! # ^. A symbol is one
  /// character, or one of `->`, `{-#` and `#-}`.
  enum class Kind : std::uint8_t { word, name, string, symbol, end };
  Kind kind = Kind::end;
  std::string_view text{};
  std::size_t offset = 0;  ///< In the text.

  [[nodiscard]] bool is(std::string_view other) const noexcept { return text == other; }
  [[nodiscard]] bool is_name(char sigil) const noexcept { return kind == Kind::name && text.front() == sigil; }
  [[nodiscard]] std::size_t end() const noexcept { return offset + text.size(); }
};

/// "line 3, column 7" of a byte of the text; both begin with 1, and columns are bytes.
[[nodiscard]] std::string place_of(std::string_view text, std::size_t offset);

/// The name of a token `@name` or `@"name"`, without escapes.
[[nodiscard]] std::string symbol_name(std::string_view token);

/// Cuts a text, which it refers to, into tokens without comments. Behind the last it gives one of the kind `end` for
/// ever.
class Lexer {
 public:
  explicit Lexer(std::string_view text) noexcept : text_(text) {}

  /// `invalid_argument` names line and column of a string without an end.
  [[nodiscard]] Result<Token> next();

 private:
  [[nodiscard]] char at(std::size_t place) const noexcept { return place < text_.size() ? text_[place] : '\0'; }
  void skip() noexcept;
  Result<void> pass_string();
  Result<void> pass_name();
  Token::Kind pass_symbol() noexcept;
  template <class Predicate>
  void pass_all(Predicate is_part) noexcept;

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace pintle::stablehlo
