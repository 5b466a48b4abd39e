// OpenCL C for the GPUs whose machine language clang writes itself, with functions of Pintle's own instead of a
// vendor's library.
#pragma once

#include <initializer_list>
#include <string>

#include "cli/compilers/compiler.h"

namespace pintle::cli {

/// What clang, from version 19 on, compiles `source` to with these options.
[[nodiscard]] Result<Code> compile_with_gpu_prelude(const io::PackSource& source,
                                                    std::initializer_list<std::string> options);

}  // namespace pintle::cli
