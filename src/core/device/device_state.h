// What stands behind a Device: a recipe, and the incarnation that it points at now.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/device/incarnation.h"
#include "core/device/registry.h"

namespace pintle::core {

/// A physical device. Generation and backend device are one atomic state: whoever asks for the current incarnation gets
/// both, also while another thread recovers.
class DeviceState {
 public:
  /// Opens the first incarnation.
  static Result<std::shared_ptr<DeviceState>> open(DeviceRecipe recipe);
  explicit DeviceState(DeviceRecipe recipe) : recipe_(std::move(recipe)) {}

  [[nodiscard]] const std::string& id() const noexcept { return recipe_.id; }
  [[nodiscard]] std::shared_ptr<Incarnation> current() const noexcept {
    const std::lock_guard lock(mutex_);
    return current_;
  }
  Result<void> recover();

 private:
  Result<std::shared_ptr<Incarnation>> next(std::uint64_t generation) const;
  void set_current(std::shared_ptr<Incarnation> incarnation) noexcept;

  DeviceRecipe recipe_;
  std::mutex recovering_;  // one recovery at a time; nobody else takes it
  // For as long as a pointer is copied. std::atomic<std::shared_ptr> of GCC 12 does not order its loads before its
  // stores.
  mutable std::mutex mutex_;
  std::shared_ptr<Incarnation> current_;
};

}  // namespace pintle::core
