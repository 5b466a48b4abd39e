// Memory that two devices see in place.
#pragma once

#include "core/life/life.h"

namespace pintle::core {

/// Whether `here` can use what `owner` exports: both open the same hardware, and what they claim has been tried with a
/// few bytes. Tried once for each pair. Thread-safe.
[[nodiscard]] bool shares_memory(Life& owner, Life& here);

}  // namespace pintle::core
