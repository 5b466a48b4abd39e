// One run of a compiler: a source in, a file out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::base {

struct Compilation {
  std::string file;                  ///< What the source is called in the compiler's words: "edges.cl".
  std::string text;                  ///< The source.
  std::vector<std::string> command;  ///< A program (a path) and its options; the files' names are added.
  std::string output = "-o";         ///< The option that names the result.
};

/// What the compiler writes. `build_failed` has all that the compiler said, with the source named as in `file`. A
/// compiler that hangs is killed after two minutes.
[[nodiscard]] Result<std::vector<std::byte>> run_compiler(const Compilation& compilation);

/// The names behind each `before` in `text`, each once.
[[nodiscard]] std::vector<std::string> names_behind(std::string_view text, std::string_view before);

/// -DNAME=1 for each name in capitals that a compiler of the C family does not know ("use of undeclared identifier
/// 'N'", "'N' undeclared").
[[nodiscard]] std::vector<std::string> perhaps_constants(std::string_view words);

/// Compiles once more with macros for possible constants, where only those are missing. `compile(macros)` answers a
/// Result of code.
template <class Compile>
[[nodiscard]] Result<std::vector<std::byte>> compile_with_constants(Compile compile) {
  Result<std::vector<std::byte>> code = compile(std::vector<std::string>{});
  if (code || code.error().code() != Errc::build_failed) return code;
  const std::vector<std::string> macros = perhaps_constants(code.error().message());
  return macros.empty() ? code : compile(macros);
}

}  // namespace pintle::base
