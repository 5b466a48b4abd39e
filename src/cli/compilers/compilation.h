// One run of a compiler: a source in, a file out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/compilers/compiler.h"

namespace pintle::cli {

struct Compilation {
  std::string file;                  ///< What the source is called in the compiler's words: "edges.cl".
  std::string text;                  ///< The source.
  std::vector<std::string> command;  ///< A program (a path) and its options; the files' names are added.
  std::string output = "-o";         ///< The option that names the result.
};

/// What the compiler writes. `build_failed` has all that the compiler said, with the source named as in `file`. A
/// compiler that hangs is killed after two minutes.
[[nodiscard]] Result<Code> run(const Compilation& compilation);

/// `text` behind `prelude`; the lines of `text` keep their numbers in what a compiler of the C family says of `file`.
[[nodiscard]] std::string behind_prelude(std::string_view prelude, std::string_view file, std::string_view text);

/// clang's option for the version of OpenCL C that the source asks for.
[[nodiscard]] std::string opencl_standard(const io::PackSource& source);

/// The first line of a compiler's words that is an error, else the first line.
[[nodiscard]] std::string first_error(std::string_view words);

}  // namespace pintle::cli
