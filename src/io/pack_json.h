// What the header of a pack file and a description in a folder share.
#pragma once

#include <vector>

#include "io/json.h"
#include "pintle/entry.h"

namespace pintle::io {

/// Reads a list of signatures.
[[nodiscard]] Result<std::vector<Entry>> parse_entries(const JsonView& list);

}  // namespace pintle::io
