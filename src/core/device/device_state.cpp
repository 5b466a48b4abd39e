#include "core/device/device_state.h"

#include <utility>

#include "base/settings.h"

namespace pintle::core {

Result<std::shared_ptr<DeviceState>> DeviceState::open(DeviceRecipe recipe) {
  PINTLE_ASSIGN(settings, base::settings());
  auto state = std::make_shared<DeviceState>(std::move(recipe));
  PINTLE_ASSIGN(first, state->next(settings->first_serial + 1));
  state->set_current(std::move(first));
  return state;
}

Result<std::shared_ptr<Incarnation>> DeviceState::next(std::uint64_t generation) const {
  auto device = recipe_.open();
  if (!device) return device.error().with_device(recipe_.id, generation).during("opening [" + recipe_.id + "]");
  return Incarnation::open(recipe_.id, generation, *std::move(device));
}

void DeviceState::set_current(std::shared_ptr<Incarnation> incarnation) noexcept {
  const std::lock_guard lock(mutex_);
  current_.swap(incarnation);  // the old one goes without the lock
}

// The swap comes last: until it, everybody sees the old generation, lost; after it, the new one, whole.
Result<void> DeviceState::recover() {
  std::shared_ptr<Incarnation> old;  // destroyed without the lock
  const std::lock_guard lock(recovering_);
  old = current();
  Life& life = old->life();
  if (!life.is_lost()) return {};
  if (life.loss().code() == Errc::process_poisoned) return life.loss().during("recovering [" + id() + "]");
  PINTLE_ASSIGN(successor, next(life.generation() + 1));
  life.supersede(successor->life().generation());
  set_current(std::move(successor));
  return {};
}

}  // namespace pintle::core
