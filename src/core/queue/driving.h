// Queues whose work runs only inside calls.
#pragma once

#include <memory>

namespace pintle::core {

class QueueState;

/// Runs the work of the queue, which is of a driven device. Other queues that this releases are driven in the same way.
/// On a thread that drives already, the queue comes after the present one, so a kernel or host call that submits does
/// not recurse.
void drive(std::shared_ptr<QueueState> queue) noexcept;

}  // namespace pintle::core
