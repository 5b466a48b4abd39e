// What a queue is made with.
#pragma once

#include "pintle/c/queue.h"
#include "pintle/pintle.h"

namespace pintle::capi {

/// Null: a default for everything.
[[nodiscard]] Result<QueueOptions> options_of(const pintle_queue_options* options);

}  // namespace pintle::capi
