#include "kit/define_lines.h"

#include <fmt/format.h>

#include "base/quote.h"

namespace pintle::kit {
namespace {

/// What in the text would go on in the next line; empty where nothing would.
std::string_view open_end(std::string_view text) {
  if (text.find_first_of("\n\r") != std::string_view::npos) return "an end of a line";
  if (text.ends_with('\\')) return "a backslash at its end";
  const auto comment = text.rfind("/*");
  const bool is_open = comment != std::string_view::npos && text.find("*/", comment + 2) == std::string_view::npos;
  return is_open ? "a comment that does not end" : std::string_view();
}

}  // namespace

Result<std::string> define_lines(const backend::ProgramImage& image, const Literal& literal) {
  std::string lines;
  for (const backend::Constant& constant : image.constants) {
    PINTLE_ASSIGN(text, literal(constant));
    lines += fmt::format("#define {} {}\n", constant.name, text);
  }
  for (const backend::Macro& macro : image.source.macros) {
    if (const auto wrong = open_end(macro.text); !wrong.empty()) {
      return Error(Errc::invalid_argument,
                   fmt::format("Macro {} of [Program {}] has a text ({}) with {}.", base::quote(macro.name),
                               base::quote(image.name), base::quote(macro.text), wrong));
    }
    lines += fmt::format("#define {} {}\n", macro.name, macro.text);
  }
  return lines.empty() ? lines : lines + "#line 1\n";
}

}  // namespace pintle::kit
