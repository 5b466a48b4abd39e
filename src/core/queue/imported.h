// Host memory in a list that the device has imported.
#pragma once

#include <span>
#include <vector>

#include "core/buffers/buffer_record.h"
#include "pintle/backend/command.h"

namespace pintle::core {

/// Uploads from imported memory and downloads to it become copies, so that they are ordered with the device's other
/// uses of these bytes: a backend may read and write host memory at other times than its own. A range of which a part
/// is imported is cut.
void use_imports(std::vector<backend::Command>& commands, std::span<const Alias> aliases);

}  // namespace pintle::core
