// What a queue is made with, and its handle.
#pragma once

#include "pintle/c/queue.h"
#include "pintle/pintle.h"

namespace pintle::capi {

/// Null: a default for everything.
[[nodiscard]] Result<QueueOptions> options_of(const pintle_queue_options* options);
/// Makes the queue's handle, and that of the signal that its points name.
[[nodiscard]] Result<void> make_queue(pintle_queue* out, Queue made);

}  // namespace pintle::capi
