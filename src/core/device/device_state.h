// What stands behind a Device: a recipe, and the incarnation that it points at now.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

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
  [[nodiscard]] std::shared_ptr<Incarnation> current() const noexcept { return current_.load(); }
  Result<void> recover();

 private:
  Result<std::shared_ptr<Incarnation>> next(std::uint64_t generation) const;

  DeviceRecipe recipe_;
  std::mutex recovering_;  // one recovery at a time; nobody else takes it
  std::atomic<std::shared_ptr<Incarnation>> current_;
};

}  // namespace pintle::core
