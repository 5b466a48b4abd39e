// Numbers from text, strictly: the whole text, digits only, within the limits.
#pragma once

#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <string_view>

namespace pintle::base {

/// The decimal number in `text`, when it lies within [least, most]; no sign, no space, nothing behind it.
template <std::unsigned_integral T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text, T least = 0,
                                            T most = std::numeric_limits<T>::max()) noexcept {
  T value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || stop != end || value < least || value > most) return std::nullopt;
  return value;
}

}  // namespace pintle::base
