// What is compiled, and for which processor.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pintle/entry.h"

namespace pintle::opencl_c {

/// A processor that code is made for.
struct Level {
  std::string_view target;  ///< As packs have it: "x86_64-linux", "x86_64-v3-linux".
  std::string_view triple;  ///< As clang has it.
  std::string_view name;    ///< clang's -march: "x86-64-v3".
};

struct Source {
  std::string_view name;  ///< The program's, for messages; the compiler's words name it with ".cl".
  std::string_view text;
  std::span<const Entry> entries;
  std::span<const std::string> defines;            ///< "N=8".
  std::span<const std::string> include_folders{};  ///< Where #include looks.
  std::string_view language{};                     ///< "CL1.2", "CL2.0", "CL3.0"; empty: CL2.0.
};

}  // namespace pintle::opencl_c
