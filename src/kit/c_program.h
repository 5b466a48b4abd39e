// A program of the format c: what the compiler gets, and what its result depends on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "pintle/backend/driver.h"
#include "pintle/error.h"

namespace pintle::kit {

struct CProgram {
  std::vector<std::string> command;  ///< The compiler and its options.
  std::string source;
  base::Digest key{};  ///< The digest of all that the result depends on.

  /// `header` stands before the text, whose lines keep their numbers. A text with files of its own is preprocessed, so
  /// that its key changes with them. `unsupported` for a language that is no C, and for constants without a type in C.
  [[nodiscard]] static Result<CProgram> of(const backend::ProgramImage& image, std::string_view header);
  [[nodiscard]] Result<std::vector<std::byte>> compile(const backend::ProgramImage& image) const;
};

/// The constants and macros of a program as a compiler of the C family gets them: "N=8". The side of a group is an
/// integer, whatever it was given as.
[[nodiscard]] Result<std::vector<std::string>> c_defines(const backend::ProgramImage& image);

}  // namespace pintle::kit
