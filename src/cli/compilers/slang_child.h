// What the process that compiles Slang and its child agree on.
#pragma once

#include <string_view>

namespace pintle::cli {

inline constexpr std::string_view slang_word = "--compile-slang";
inline constexpr int slang_fails = 1;      ///< The child's exit status where the source does not compile.
inline constexpr int slang_is_absent = 3;  ///< Where the library does not open or lacks a function.

}  // namespace pintle::cli
