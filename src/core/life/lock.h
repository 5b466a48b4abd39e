// The lock of a device, as a type: a function that needs the lock takes it as a parameter.
#pragma once

#include "base/mutex.h"

namespace pintle::core {

/// While this lives, the state of a device belongs to this thread: tables, stamps, the places of submissions. The lock
/// is held for short times, and never while a driver is called. Only leaves (timelines, promises, the reactor) are
/// locked under it. A thread never holds the locks of two devices.
class Locked {
 public:
  explicit Locked(base::Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    if (is_held_) mutex_.unlock();
  }

  // A thread that waits in between drops the lock for that time.
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
