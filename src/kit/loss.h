// The loss of a device: the first cause, told to all waits.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pintle/error.h"

namespace pintle::kit {

/// Shared by a device and by callbacks that a driver may still make when the device has gone. Thread-safe.
class Loss {
 public:
  /// An object whose waits end, or which stops touching host memory, when the device is lost. It must not ask for the
  /// loss during the call.
  class Waits {
   public:
    virtual void end_waits(const Error& cause) noexcept = 0;

   protected:
    ~Waits() = default;
  };

  explicit Loss(std::string device_id) : id_(std::move(device_id)) {}

  void add(Waits& waits) {
    const std::lock_guard lock(mutex_);
    waits_.push_back(&waits);
  }
  void remove(Waits& waits) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(waits_, &waits);
  }

  [[nodiscard]] bool is_lost() const noexcept { return is_lost_.load(std::memory_order_acquire); }
  /// Success, or the cause once there is one.
  [[nodiscard]] Result<void> check() const {
    if (is_lost()) return Error(*cause_);
    return {};
  }
  /// Returns the first cause, which stays, when all waits have ended: `error`, or the loss that follows from it.
  Error lose(const Error& error);
  /// As `lose`, for a device that does not answer: no wait for its driver ends any more, so nobody may begin one.
  Error give_up(const Error& error) {
    is_given_up_.store(true, std::memory_order_release);
    return lose(error);
  }
  [[nodiscard]] bool is_given_up() const noexcept { return is_given_up_.load(std::memory_order_acquire); }

 private:
  const std::string id_;
  std::mutex mutex_;
  std::optional<Error> cause_;  // written once, before `is_lost_`
  std::atomic<bool> is_lost_{false};
  std::atomic<bool> is_given_up_{false};
  std::vector<Waits*> waits_;
};

}  // namespace pintle::kit
