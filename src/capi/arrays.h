// Arrays of structs and of texts as values of the library.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "capi/check.h"
#include "capi/structs.h"

namespace pintle::capi {

/// Calls `take`, which answers a Result<void>, with each struct of an array. All have the first one's size.
template <class Struct, class Take>
[[nodiscard, gnu::always_inline]] inline Result<void> for_each(const Struct* first, std::size_t count, const char* type,
                                                               const Take& take) {
  if (count == 0) return {};
  PINTLE_TRY(given(first, type));
  for (std::size_t i = 0; i < count; ++i) {
    const Struct* const one = element(first, i);
    if (size_of(one) != size_of(first)) return other_size(type, i, size_of(one), size_of(first));
    if (size_of(one) == sizeof(Struct)) [[likely]] {
      PINTLE_TRY(take(*one));
      continue;
    }
    PINTLE_ASSIGN(in, readable(one, type));
    PINTLE_TRY(take(*in));
  }
  return {};
}

/// The values of an array of structs. `convert(const Struct&)` answers a Result<Value>.
template <class Value, class Struct, class Convert>
[[nodiscard]] Result<std::vector<Value>> values_of(const Struct* first, std::size_t count, const char* type,
                                                   Convert convert) {
  std::vector<Value> values;
  PINTLE_TRY(for_each(first, count, type, [&](const Struct& one) -> Result<void> {
    PINTLE_ASSIGN(value, convert(one));
    values.push_back(std::move(value));
    return {};
  }));
  return values;
}

template <class Text = std::string>
[[nodiscard]] Result<std::vector<Text>> texts_of(const char* const* first, std::size_t count, const char* what) {
  std::vector<Text> texts;
  if (count == 0) return texts;
  PINTLE_TRY(given(first, what));
  for (std::size_t i = 0; i < count; ++i) {
    PINTLE_TRY(given(first[i], what));
    texts.emplace_back(first[i]);
  }
  return texts;
}

}  // namespace pintle::capi
