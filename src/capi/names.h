// Names of enumerators whose numbers begin with 1, and enumerators by their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "capi/check.h"

namespace pintle::capi {

[[nodiscard]] Error no_name(std::string_view text, std::string_view what, std::string_view names);

/// The name of a number from 1 to `last`, which `name` answers.
template <class Enum>
[[nodiscard]] Result<void> answer_name(std::uint32_t number, Enum last, const char* what, const char** out) {
  PINTLE_TRY(given(out, "name"));
  PINTLE_ASSIGN(asked, enumerator(number, last, what));
  *out = name(asked).data();
  return {};
}

/// The number of a name. `not_found` lists the names, behind those in `names`.
template <class Enum, class Number>
[[nodiscard]] Result<void> answer_parsed(const char* text, Enum last, const char* what, Number* out,
                                         std::string names = {}) {
  PINTLE_TRY(given(text, "name"));
  PINTLE_TRY(given(out, what));
  for (std::uint32_t number = 1; number <= static_cast<std::uint32_t>(last); ++number) {
    const std::string_view known = name(static_cast<Enum>(number));
    if (known == text) {
      *out = static_cast<Number>(number);
      return {};
    }
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  return no_name(text, what, names);
}

}  // namespace pintle::capi
