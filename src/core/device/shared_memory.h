// Memory that two devices see in place.
#pragma once

#include "core/device/incarnation.h"

namespace pintle::core {

/// Whether `here` can use what `owner` exports: both open the same hardware, and what they claim has been tried with a
/// few bytes. Tried once for each pair. Thread-safe.
[[nodiscard]] bool shares_memory(Incarnation& owner, Incarnation& here);

}  // namespace pintle::core
