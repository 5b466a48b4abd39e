// The signature of an entry for what is kept.
#pragma once

#include <string>

#include "pintle/entry.h"

namespace pintle::base {

/// As `Entry::signature`; throws std::bad_alloc where memory runs out, so that no pack is written without it.
[[nodiscard]] std::string signature_of(const Entry& entry);

}  // namespace pintle::base
