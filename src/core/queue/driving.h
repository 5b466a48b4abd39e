// Queues whose work runs only when somebody asks.
#pragma once

#include <atomic>
#include <memory>

#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::core {

/// A queue of a driven device.
class Driven {
 public:
  /// Waits for what the backend has, which runs it; false when it has nothing.
  virtual Result<bool> wait_rest(Deadline deadline) = 0;

 protected:
  ~Driven() = default;

 private:
  friend class Driving;
  std::atomic<bool> is_to_be_driven_{false};
  std::shared_ptr<Driven> next_driven_;  // by the thread that is to drive this one
};

/// Runs what the queue has. What that releases on other queues drives these in the same way: on a thread that drives
/// already, it comes after what runs now, so that a kernel or host call that submits does not recurse.
void drive(std::shared_ptr<Driven> queue) noexcept;

}  // namespace pintle::core
