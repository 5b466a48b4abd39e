#include "base/quote.h"

#include <fmt/format.h>

#include <algorithm>

namespace pintle::base {
namespace {

void append_escaped(std::string& out, char c) {
  const auto code = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') {
    out += '\\';
    out += c;
  } else if (code >= 0x20 && code < 0x7f) {
    out += c;
  } else {
    out += fmt::format("\\x{:02x}", code);
  }
}

constexpr bool starts_identifier(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

std::string quote(std::string_view text, std::size_t limit) {
  std::string out = "\"";
  for (const char c : text.substr(0, limit)) append_escaped(out, c);
  if (text.size() > limit) out += "...";
  return out + "\"";
}

bool is_identifier(std::string_view text) noexcept {
  const auto continues = [](char c) { return starts_identifier(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && starts_identifier(text.front()) && std::ranges::all_of(text, continues);
}

}  // namespace pintle::base
