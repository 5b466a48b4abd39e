// The C compiler of the machine, found at run time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pintle/error.h"

namespace pintle::base {

struct CCompiler {
  std::string path;
  std::string version;               ///< All that the compiler prints for --version.
  std::vector<std::string> command;  ///< The path, and what PINTLE_WERROR adds.
};

/// Finds PINTLE_CC, else the first of cc, gcc and clang in PATH. `source` may name the one that it needs, gcc or clang,
/// in one of its first ten lines: "// pintle: compiler clang". Then it is PINTLE_CC where that is one, else the one of
/// that name, else cc where that is one. `unavailable` names the compilers tried and what to do; `build_failed` names a
/// compiler that is neither. Each compiler is asked once.
[[nodiscard]] Result<CCompiler> find_c_compiler(std::string_view source = {});

/// The shared object that `command` (a compiler and its options) makes of `source`. `build_failed` has all that the
/// compiler printed; its warnings go to the log. A compiler that hangs is killed after two minutes. `name` is for
/// messages.
[[nodiscard]] Result<std::vector<std::byte>> compile_c(std::string_view name, std::span<const std::string> command,
                                                       std::string_view source);

/// What the compiler says of a source that it only checks.
[[nodiscard]] Result<std::string> check_c(std::string_view name, std::span<const std::string> command,
                                          std::string_view source);

/// What the preprocessor makes of a source, without the places of its lines. `build_failed` as `compile_c`.
[[nodiscard]] Result<std::string> preprocess_c(std::string_view name, std::span<const std::string> command,
                                               std::string_view source);

}  // namespace pintle::base
