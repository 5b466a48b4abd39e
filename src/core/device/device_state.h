// What stands behind a Device: a recipe, and the incarnation that it points at now.
#pragma once

#include <atomic>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/device/incarnation.h"
#include "registry/device_recipe.h"

namespace pintle::core {

/// A physical device. Generation and backend device are one atomic state: a caller that asks for the current
/// incarnation gets both, also while another thread recovers.
class DeviceState {
 public:
  /// Opens the first incarnation.
  static Result<std::shared_ptr<DeviceState>> open(registry::DeviceRecipe recipe);
  explicit DeviceState(registry::DeviceRecipe recipe) : recipe_(std::move(recipe)) {}

  [[nodiscard]] const std::string& id() const noexcept { return recipe_.id; }
  [[nodiscard]] std::shared_ptr<Incarnation> current() const noexcept {
    const std::lock_guard lock(mutex_);
    return current_;
  }
  /// Describes the current incarnation. The reference stays valid when another incarnation takes over.
  [[nodiscard]] const DeviceInfo& info() const noexcept {
    const std::lock_guard lock(mutex_);
    return infos_.front();
  }
  /// The current incarnation's generation, read without the lock: a forked child may ask.
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_.load(std::memory_order_acquire); }
  /// Opens the next incarnation where this one is lost, or does not answer. `process_poisoned` where the next one does
  /// not answer either.
  Result<void> recover();

 private:
  Result<std::shared_ptr<Incarnation>> next(std::uint64_t generation) const;
  [[nodiscard]] Result<std::shared_ptr<Incarnation>> successor_of(const Life& life) const;
  /// A new node for the incarnation's description; empty where the description has not changed.
  [[nodiscard]] std::forward_list<DeviceInfo> news_of(Incarnation& incarnation) const;
  void set_current(std::shared_ptr<Incarnation> incarnation, std::forward_list<DeviceInfo>&& news) noexcept;

  registry::DeviceRecipe recipe_;
  std::mutex recovering_;  // one recovery at a time; nothing else takes it
  // Held while a pointer is copied. std::atomic<std::shared_ptr> of GCC 12 does not order its loads before its stores.
  mutable std::mutex mutex_;
  std::shared_ptr<Incarnation> current_;
  std::forward_list<DeviceInfo> infos_;  // the current one first
  std::atomic<std::uint64_t> generation_{0};
};

/// The device that is open under the recipe's id, or a new one: an id that is opened twice is one device. While one
/// thread opens an id, other threads that want this id wait; other ids are not concerned.
Result<std::shared_ptr<DeviceState>> open_once(registry::DeviceRecipe recipe);

}  // namespace pintle::core
