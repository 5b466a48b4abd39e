#include "stablehlo/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/parse.h"
#include "base/quote.h"
#include "stablehlo/tokens.h"

namespace pintle::stablehlo {
namespace {

// The limits keep the work linear in a text's size: each argument has a copy of its type.
constexpr std::size_t most_sides = 64;
constexpr std::size_t longest_element = 256;

Error no_tensor(std::string_view text, std::string_view why) {
  return {Errc::invalid_argument, fmt::format("The type {} {}.", base::quote(text), why)};
}

/// What stands between the brackets of `tensor<...>` before an encoding, without spaces and comments.
Result<std::string> inside_of(std::string_view text) {
  Lexer lexer(text);
  std::string inside;
  std::size_t depth = 0, place = 0;
  while (true) {
    PINTLE_ASSIGN(token, lexer.next());
    if (token.kind == Token::Kind::end) return no_tensor(text, "has no end");
    if (place == 0 && !token.is("tensor")) return no_tensor(text, "is no tensor");
    if (place == 1 && !token.is("<")) return no_tensor(text, "has no \"<\" behind \"tensor\"");
    if (token.is(">") && --depth == 0) break;
    if (depth == 1 && token.is(",")) return inside;  // the encoding
    if (depth != 0) inside += token.text;
    if (token.is("<")) ++depth;
    ++place;
  }
  PINTLE_ASSIGN(behind, lexer.next());
  if (behind.kind != Token::Kind::end) return no_tensor(text, "goes on behind its \">\"");
  return inside;
}

}  // namespace

std::size_t TensorType::open_sides() const noexcept {
  const auto is_open = [](const auto& side) { return !side.has_value(); };
  return static_cast<std::size_t>(std::ranges::count_if(sides, is_open));
}

Result<TensorType> read_type(std::string_view text) {
  PINTLE_ASSIGN(inside, inside_of(text));
  TensorType type;
  std::string_view rest = inside;
  const auto begins_side = [&] { return rest.starts_with('?') || (!rest.empty() && rest[0] >= '0' && rest[0] <= '9'); };
  while (begins_side()) {
    const std::size_t length = rest[0] == '?' ? 1 : std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto number = base::parse_number<std::uint64_t>(rest.substr(0, length));
    if (!number && rest[0] != '?') return no_tensor(text, "has a side that does not fit 64 bits");
    if (type.sides.size() == most_sides) return no_tensor(text, "has more than 64 sides");
    if (length == rest.size() || rest[length] != 'x') return no_tensor(text, "has no \"x\" behind a side");
    type.sides.push_back(number);
    rest.remove_prefix(length + 1);
  }
  if (rest.empty()) return no_tensor(text, "has no element");
  if (rest.starts_with('*')) return no_tensor(text, "has no rank");
  if (rest.size() > longest_element) return no_tensor(text, "has an element of more than 256 letters");
  type.element = rest;
  return type;
}

std::optional<DType> dtype_of(std::string_view element) noexcept {
  constexpr std::pair<std::string_view, DType> all[] = {
      {"i1", DType::boolean},     {"i8", DType::i8},
      {"i16", DType::i16},        {"i32", DType::i32},
      {"i64", DType::i64},        {"ui8", DType::u8},
      {"ui16", DType::u16},       {"ui32", DType::u32},
      {"ui64", DType::u64},       {"f16", DType::f16},
      {"bf16", DType::bf16},      {"f32", DType::f32},
      {"f64", DType::f64},        {"f8E4M3FN", DType::f8_e4m3fn},
      {"f8E5M2", DType::f8_e5m2}, {"complex<f32>", DType::complex64},
  };
  const auto* const found = std::ranges::find(all, element, [](const auto& row) { return row.first; });
  return found == std::end(all) ? std::nullopt : std::optional(found->second);
}

}  // namespace pintle::stablehlo
