// What runs of compilers have in common.
#pragma once

#include <string>
#include <string_view>

#include "base/compilation.h"
#include "cli/compilers/compiler.h"

namespace pintle::cli {

/// `text` behind `prelude`; the lines of `text` keep their numbers in what a compiler of the C family says of `file`.
[[nodiscard]] std::string behind_prelude(std::string_view prelude, std::string_view file, std::string_view text);

/// clang's option for the version of OpenCL C that the source asks for.
[[nodiscard]] std::string opencl_standard(const io::PackSource& source);

/// The first line of a compiler's words that is an error, else the first line.
[[nodiscard]] std::string first_error(std::string_view words);

}  // namespace pintle::cli
