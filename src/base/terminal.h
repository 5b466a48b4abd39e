// Text from outside, made safe for a terminal.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace pintle::base {

/// Whether output to `file` reaches a terminal, which control characters steer.
[[nodiscard]] bool is_terminal(std::FILE* file) noexcept;

/// `text` as a terminal may show it. Characters that would steer the terminal or show the text in another order, and
/// bytes that are no UTF-8, become \xNN. Ends of lines and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace pintle::base
