// What compiles OpenCL C for processors: clang 19, a plug-in of ours, and its bitcode of the built-in functions.
#pragma once

#include <string>
#include <string_view>

#include "pintle/error.h"

namespace pintle::opencl_c {

inline constexpr std::string_view plugin_file = "libpintle_opencl_c.so";

struct Toolchain {
  std::string clang;
  std::string plugin;

  /// The bitcode for a level, beside the plug-in. `unavailable` names the file where there is none.
  [[nodiscard]] Result<std::string> builtins(std::string_view level) const;
  /// A text that changes with the files: a part of a cache's key.
  [[nodiscard]] std::string stamp() const;
};

/// Looks for both; starts nothing. `unavailable` says which one is missing, where it was looked for, and what to do.
[[nodiscard]] Result<Toolchain> find_toolchain();

}  // namespace pintle::opencl_c
