#include "core/device/device_state.h"

#include <utility>

#include "base/fork.h"
#include "base/settings.h"

namespace pintle::core {

Result<std::shared_ptr<DeviceState>> DeviceState::open(DeviceRecipe recipe) {
  PINTLE_ASSIGN(settings, base::settings());
  auto state = std::make_shared<DeviceState>(std::move(recipe));
  PINTLE_ASSIGN(first, state->next(settings->first_serial + 1));
  state->current_ = std::move(first);
  return state;
}

Result<std::shared_ptr<Incarnation>> DeviceState::next(std::uint64_t generation) const {
  auto device = recipe_.open();
  if (!device) return device.error().with_device(recipe_.id, generation).during("opening [" + recipe_.id + "]");
  return Incarnation::open(recipe_.id, generation, *std::move(device));
}

std::shared_ptr<Incarnation> DeviceState::current() const {
  std::lock_guard lock(mutex_);
  return current_;
}

// The swap comes last: until it, everybody sees the old generation, lost; after it, the new one, whole.
Result<void> DeviceState::recover() {
  if (base::in_forked_child()) return base::forked_error();
  std::shared_ptr<Incarnation> old;  // destroyed without the lock
  std::lock_guard lock(mutex_);
  if (!current_->is_lost()) return {};
  if (current_->loss().code() == Errc::process_poisoned) return current_->loss().during("recovering [" + id() + "]");
  PINTLE_ASSIGN(successor, next(current_->generation() + 1));
  current_->supersede(successor->generation());
  old = std::exchange(current_, std::move(successor));
  return {};
}

}  // namespace pintle::core
