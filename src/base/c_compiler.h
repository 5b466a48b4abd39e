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
  std::string version;  ///< All that the compiler prints for --version.
};

/// Finds PINTLE_CC, else the first of cc, gcc and clang in PATH. `unavailable` names the compilers tried and what to
/// do. Each compiler is asked once.
[[nodiscard]] Result<CCompiler> find_c_compiler();

/// The shared object that `command` (a compiler and its options) makes of `source`. `build_failed` has all that the
/// compiler printed. A compiler that hangs is killed after two minutes. `name` is for messages.
[[nodiscard]] Result<std::vector<std::byte>> compile_c(std::string_view name, std::span<const std::string> command,
                                                       std::string_view source);

}  // namespace pintle::base
