// The GLSL source of one entry, and all that its code depends on.
#pragma once

#include <string>

#include "pintle/backend/driver.h"
#include "spirv/glsl_program.h"

namespace pintle::spirv {

/// The source of an entry, whose main() is compiled with PINTLE_ENTRY_<name>, PINTLE_GROUP_X, _Y and _Z, and the
/// image's source options.
[[nodiscard]] GlslSource source_of(const backend::ProgramImage& image, const Entry& entry);

/// Whether that is why a source does not compile: the entry's conditions leave no main() over.
[[nodiscard]] bool lacks_main(const Error& refusal) noexcept;

/// The source's text and options, and the names and texts of the files that it includes, and that those include, as far
/// as they are in its folders. Lines that a condition leaves out count too.
[[nodiscard]] std::string dependencies_of(const GlslSource& source);

}  // namespace pintle::spirv
