// The signature of an entry, for files.
#pragma once

#include <string>

#include "pintle/entry.h"

namespace pintle::base {

/// What `Entry::signature` returns. Throws std::bad_alloc where memory runs out, so that no pack is written without it.
[[nodiscard]] std::string signature_of(const Entry& entry);

}  // namespace pintle::base
