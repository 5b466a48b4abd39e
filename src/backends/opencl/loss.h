// What ends a device: the first cause, told to everybody who waits.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "backends/opencl/api.h"
#include "pintle/error.h"

namespace pintle::opencl {

/// Shared by a device and by the callbacks that the driver may still make when the device has gone. Thread-safe.
class Loss {
 public:
  /// Somebody with waits that end when the device is lost; calls nothing of OpenCL's then.
  class Waits {
   public:
    virtual void end_waits(const Error& cause) noexcept = 0;

   protected:
    ~Waits() = default;
  };

  void add(Waits& waits) {
    const std::lock_guard lock(mutex_);
    waits_.push_back(&waits);
  }
  void remove(Waits& waits) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(waits_, &waits);
  }

  /// The cause, once there is one.
  [[nodiscard]] Result<void> check() const {
    if (!is_lost_.load(std::memory_order_acquire)) return {};
    return Error(*cause_);
  }
  [[nodiscard]] bool is_lost() const noexcept { return is_lost_.load(std::memory_order_acquire); }

  /// Answers the first cause, which stays.
  Error lose(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!cause_) cause_.emplace(loss_of(error));
    if (!is_lost_.exchange(true)) {
      for (Waits* const waits : waits_) waits->end_waits(*cause_);
    }
    return *cause_;
  }

 private:
  std::mutex mutex_;
  std::optional<Error> cause_;  // fixed when it is there
  std::atomic<bool> is_lost_{false};
  std::vector<Waits*> waits_;
};

}  // namespace pintle::opencl
