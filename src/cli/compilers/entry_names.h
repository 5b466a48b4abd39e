// The names of the entries in code, by language and format: a compiler reads sources, and a reader reads compiled code.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/compilers/compiler.h"
#include "opencl_c/kernels.h"

namespace pintle::cli {

using Names = std::vector<std::string>;

/// The entries of a source. `unavailable` where no compiler of its language is here, `build_failed` where the source
/// does not compile. A name in capitals that nothing declares counts as a constant that is given at load.
[[nodiscard]] Result<Names> entries_of_source(const io::PackSource& source);

/// The kernels of a source of OpenCL C with their arguments. Errors as of `entries_of_source`.
[[nodiscard]] Result<std::vector<opencl_c::OpenClKernel>> kernels_of(const io::PackSource& source);

/// The entries that a source of GLSL or HLSL names: behind PINTLE_ENTRY_, or as functions with [numthreads]. A source
/// of GLSL that chooses by no macro names none.
[[nodiscard]] Names shaders_of(const io::PackSource& source);

/// The formats that a compiler makes or a reader reads.
[[nodiscard]] Names known_formats();

/// The entries of compiled code in a format. `unavailable` where nothing here reads the format, `invalid_argument`
/// for a format that is not known, and where the code is not in the format.
[[nodiscard]] Result<Names> entries_of_code(std::string_view format, std::span<const std::byte> code);

}  // namespace pintle::cli
