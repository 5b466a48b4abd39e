// Memory that two devices can use in place.
#pragma once

#include "core/life/life.h"

namespace pintle::core {

/// Whether `here` can use what `owner` exports. Both must open the same hardware, and a trial with a few bytes checks
/// what they claim. Tried once for each pair. Thread-safe.
[[nodiscard]] bool shares_memory(Life& owner, Life& here);

}  // namespace pintle::core
