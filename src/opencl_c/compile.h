// From OpenCL C to a shared object whose functions run work-groups, by clang in a process of its own.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "opencl_c/notes.h"
#include "opencl_c/source.h"
#include "opencl_c/toolchain.h"
#include "pintle/entry.h"
#include "pintle/error.h"

namespace pintle::opencl_c {

/// The levels of all processors, each processor's from the plain one on.
[[nodiscard]] std::span<const Level> levels() noexcept;
/// The best level that this processor runs; null where there is none for it.
[[nodiscard]] const Level* level_here() noexcept;

struct Compiled {
  std::vector<std::byte> code;
  std::vector<Refusal> refusals;  ///< Entries that the code does not have.
};

/// `unsupported` for a language that is none of OpenCL C's. `build_failed` has the compiler's words, of which the first
/// error names the source's file and line, or the reason of each entry where none can be made. A compiler that crashes,
/// or that runs longer than two minutes, is `build_failed`.
[[nodiscard]] Result<Compiled> compile(const Toolchain& toolchain, const Source& source, const Level& level);

/// The digest of all that the result depends on. A source that includes files is read by the compiler for it, and an
/// error is the compiler's.
[[nodiscard]] Result<base::Digest> key_of(const Toolchain& toolchain, const Source& source, const Level& level);

}  // namespace pintle::opencl_c
