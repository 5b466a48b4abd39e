// The two locks of a device, as types: a function that wants one held takes it as a parameter.
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

  // For who waits in between.
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

/// It is this thread's turn to submit: held around `submit`, `record`, `forget`, `create_queue`, `wrap_queue` and
/// `destroy_queue` of the backend, which the seam promises to call one at a time. Taken before `Locked`, never under
/// it.
class Turn {
 public:
  explicit Turn(base::Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { mutex_.unlock(); }

 private:
  base::Mutex& mutex_;
};

}  // namespace pintle::core
