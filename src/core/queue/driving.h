// Queues whose work runs only inside calls.
#pragma once

#include <atomic>
#include <memory>

#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::core {

/// A queue of a driven device.
class Driven {
 public:
  /// Waits for the work that the backend has, which runs it; false when the backend has none.
  virtual Result<bool> wait_rest(Deadline deadline) = 0;

 protected:
  ~Driven() = default;

 private:
  friend class Driving;
  std::atomic<bool> is_to_be_driven_{false};
  std::shared_ptr<Driven> next_driven_;  // written by the thread that is to drive this queue
};

/// Runs the work of the queue. Other queues that this releases are driven in the same way. On a thread that drives
/// already, the queue comes after the present one, so a kernel or host call that submits does not recurse.
void drive(std::shared_ptr<Driven> queue) noexcept;

}  // namespace pintle::core
