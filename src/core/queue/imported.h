// Host memory in a list that the device sees as its own, too.
#pragma once

#include <span>
#include <vector>

#include "core/buffers/aliases.h"
#include "pintle/backend/command.h"

namespace pintle::core {

/// Uploads from imported memory and downloads to it become copies, so that they are ordered with what else the device
/// does to these bytes: a backend may read and write host memory at other times than its own. A range that is imported
/// in part is cut.
void use_imports(std::vector<backend::Command>& commands, std::span<const Alias> aliases);

}  // namespace pintle::core
