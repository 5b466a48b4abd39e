// What stands behind a Device: a recipe, and the incarnation that it points at now.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "core/device/incarnation.h"
#include "core/device/registry.h"

namespace pintle::core {

/// A physical device. Generation and backend device are one atomic state: whoever asks for the current incarnation gets
/// both.
class DeviceState {
 public:
  /// Opens the first incarnation.
  static Result<std::shared_ptr<DeviceState>> open(DeviceRecipe recipe);
  explicit DeviceState(DeviceRecipe recipe) : recipe_(std::move(recipe)) {}

  [[nodiscard]] const std::string& id() const noexcept { return recipe_.id; }
  [[nodiscard]] std::shared_ptr<Incarnation> current() const;
  Result<void> recover();

 private:
  Result<std::shared_ptr<Incarnation>> next(std::uint64_t generation) const;

  DeviceRecipe recipe_;
  mutable std::mutex mutex_;  // held while opening, so that one recovery happens at a time
  std::shared_ptr<Incarnation> current_;
};

}  // namespace pintle::core
