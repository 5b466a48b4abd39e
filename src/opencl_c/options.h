// How clang is called for a source of OpenCL C.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "opencl_c/source.h"
#include "pintle/error.h"

namespace pintle::opencl_c {

/// `unsupported` lists the versions of the language.
[[nodiscard]] Result<void> check_language(std::string_view language);

/// What the compilers of drivers take with a warning, and clang from 16 on refuses unless it is told.
inline constexpr std::array<std::string_view, 2> lenient{"-Wno-error=incompatible-pointer-types",
                                                         "-Wno-error=int-conversion"};

/// All options but those that name files and the plug-in.
[[nodiscard]] std::vector<std::string> options(const Source& source, const Level& level);

}  // namespace pintle::opencl_c
