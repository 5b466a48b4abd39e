// Text from outside in a message: quoted, escaped, and short.
#pragma once

#include <string>
#include <string_view>

namespace pintle::base {

/// `text` in double quotes, at most `limit` of its bytes (then "..."). Bytes that are not printable ASCII become \xNN.
[[nodiscard]] std::string quote(std::string_view text, std::size_t limit = 120);

/// True for a valid name of a program, entry or parameter: a letter or "_", then letters, digits and "_".
[[nodiscard]] bool is_identifier(std::string_view text) noexcept;

}  // namespace pintle::base
