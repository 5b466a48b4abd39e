// Work in flight when the process ends.
#pragma once

#include "kit/step_queue.h"
#include "pintle/backend/driver.h"

namespace pintle::kit {

/// When the main thread calls `exit` or returns from main, work that devices have taken is waited for, some
/// seconds at most, before any static object is destroyed. That holds where the main thread has made a BeforeExit.
/// Thread-safe.
///
/// Drivers with compilers make static objects when they first need them, perhaps long after a device was opened. So a
/// wait among the handlers of `exit` could use objects that have gone. `exit` destroys the objects of its own thread
/// before all handlers, and those of the main thread are destroyed at no other time.
class BeforeExit {
 public:
  /// `device` and `queues` outlive this object. May throw std::bad_alloc.
  BeforeExit(backend::Device& device, StepQueues& queues);
  BeforeExit(const BeforeExit&) = delete;
  BeforeExit& operator=(const BeforeExit&) = delete;
  ~BeforeExit();

  void wait(Deadline deadline) noexcept;

 private:
  backend::Device& device_;
  StepQueues& queues_;
};

}  // namespace pintle::kit
