// Whether a device answers, asked with a deadline.
#pragma once

#include <chrono>
#include <memory>

#include "core/life/life.h"

namespace pintle::core {

/// Has the backend run a tiny piece of work, on a thread of the library's that is left behind where the driver keeps
/// it. Success for a device that answers, and for one that cannot be asked. A device that does not answer within
/// `patience` is given up: it counts as lost, and the loss is returned. A backend itself waits 4 or 5 s.
[[nodiscard]] Result<void> check_up(const std::shared_ptr<Life>& life, Duration patience = std::chrono::seconds(6));

}  // namespace pintle::core
