#include "cli/compilers/compilation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/quote.h"

namespace pintle::cli {
namespace {

/// Slang says "error[E36107]:". A linker names what is missing in a line of its own, and only a later line says that
/// this is an error.
bool is_error(std::string_view line) {
  constexpr std::array<std::string_view, 3> marks{"error:", "error[", "undefined reference"};
  return std::ranges::any_of(marks, [&](std::string_view mark) { return line.find(mark) != std::string_view::npos; });
}

}  // namespace

std::string behind_prelude(std::string_view prelude, std::string_view file, std::string_view text) {
  return fmt::format("{}\n#line 1 {}\n{}\n", prelude, base::quote(file, 200), text);
}

std::string opencl_standard(const io::PackSource& source) {
  return "-cl-std=" + (source.version.empty() ? "CL2.0" : source.version);
}

std::string first_error(std::string_view words) {
  std::string_view first;
  while (!words.empty()) {
    const auto end = std::min(words.find('\n'), words.size());
    const std::string_view line = words.substr(0, end);
    if (is_error(line)) return std::string(line);
    if (first.empty()) first = line;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return std::string(first);
}

}  // namespace pintle::cli
