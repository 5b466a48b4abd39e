// Foreign text inside a message: quoted, escaped, and short.
#pragma once

#include <string>
#include <string_view>

namespace pintle::base {

/// `text` in double quotes, what is not printable ASCII as \xNN, and no more than `limit` of its bytes (then "...").
[[nodiscard]] std::string quote(std::string_view text, std::size_t limit = 120);

/// True for a name as programs, entries and parameters have it: a letter or "_", then letters, digits and "_".
[[nodiscard]] bool is_identifier(std::string_view text) noexcept;

}  // namespace pintle::base
