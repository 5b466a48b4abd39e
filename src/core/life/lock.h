// The lock of a device, as a type: a function that wants it held takes it as a parameter.
#pragma once

#include "base/mutex.h"

namespace pintle::core {

/// The state of a device is this thread's: tables, stamps, the places of submissions. Short, and never held while a
/// driver is called. Under it only leaves are locked (timelines, promises, the reactor). Two devices' are never held
/// together.
class Locked {
 public:
  explicit Locked(base::Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    if (is_held_) mutex_.unlock();
  }

  // For a thread that waits in between.
  void unlock() noexcept {
    is_held_ = false;
    mutex_.unlock();
  }
  void lock() noexcept {
    mutex_.lock();
    is_held_ = true;
  }

 private:
  base::Mutex& mutex_;
  bool is_held_ = true;
};

}  // namespace pintle::core
