// Work in flight when the process ends.
#pragma once

#include "kit/step_queue.h"
#include "pintle/backend/driver.h"

namespace pintle::kit {

/// When the main thread calls `exit` or returns from main, what the device has started is waited for, some seconds at
/// most, before any static object is destroyed; where the main thread has made one of these. Thread-safe.
///
/// Drivers with compilers make static objects when they first need them, perhaps long after a device was opened. So
/// work that is waited for among the handlers of `exit` may use what has gone. `exit` destroys the objects of its
/// thread before all that, and those of the main thread are destroyed at no other time.
class BeforeExit {
 public:
  /// Both outlive it. May throw std::bad_alloc.
  BeforeExit(backend::Device& device, StepQueues& queues);
  BeforeExit(const BeforeExit&) = delete;
  BeforeExit& operator=(const BeforeExit&) = delete;
  ~BeforeExit();

  void wait() noexcept;

 private:
  backend::Device& device_;
  StepQueues& queues_;
};

}  // namespace pintle::kit
