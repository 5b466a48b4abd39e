// A driver's words in one line.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace pintle::kit {

/// Spaces, tabs and ends of lines that follow one another become one space.
[[nodiscard]] inline std::string one_line(std::string_view words) {
  std::string line;
  for (const char letter : words) {
    const bool is_space = std::isspace(static_cast<unsigned char>(letter)) != 0;
    if (!is_space) line += letter;
    else if (!line.empty() && line.back() != ' ') line += ' ';
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace pintle::kit
