// What a format without a source refuses.
#pragma once

#include "pintle/backend/driver.h"
#include "pintle/error.h"

namespace pintle::kit {

/// `unsupported` names the first macro, folder or language: code that is compiled already has none.
[[nodiscard]] Result<void> refuse_source_options(const backend::ProgramImage& image);

/// As that, and for constants. A side of a group is none for code that reads the group's size when it runs.
[[nodiscard]] Result<void> refuse_options(const backend::ProgramImage& image);

}  // namespace pintle::kit
