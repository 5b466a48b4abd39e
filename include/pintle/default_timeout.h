// The deadline of calls that are given none.
#pragma once

#include "pintle/deadline.h"

namespace pintle {

/// How long a call with `Timeout()` may block: PINTLE_TIMEOUT_MS, else 30 s. It stays the same while the process lives.
[[nodiscard]] Duration default_timeout() noexcept;

}  // namespace pintle
