// The tokens of a WGSL text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::wgsl {

struct Token {
  /// A symbol is one character: `->` is two, `>>` may close two lists of a type.
  enum class Kind : std::uint8_t { word, number, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;
  std::size_t offset = 0;  ///< In the text.
  std::uint32_t line = 1;
  std::uint32_t column = 1;  ///< In bytes.

  [[nodiscard]] bool is(std::string_view other) const noexcept { return text == other; }
  [[nodiscard]] bool is_word() const noexcept { return kind == Kind::word; }
};

/// The tokens without comments, and one of the kind `end` behind them. `invalid_argument` names line and column of a
/// comment without an end.
[[nodiscard]] Result<std::vector<Token>> tokens_of(std::string_view text);

}  // namespace pintle::wgsl
