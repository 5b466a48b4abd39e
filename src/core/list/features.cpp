// A command that needs a feature which the device declares absent never reaches the device.
#include <fmt/format.h>

#include <type_traits>
#include <variant>

#include "core/list/list_state.h"

namespace pintle::core {

Result<void> ListState::check_features(const DeviceInfo& info) const {
  if (!needs_features) return {};
  for (const backend::Command& command : commands) {
    const auto feature =
        std::visit([](const auto& its) { return feature_for<std::remove_cvref_t<decltype(its)>>; }, command.operation);
    if (!feature || info.capability(*feature).support != Support::absent) continue;
    return Error(Errc::unsupported, fmt::format("Command ({}) needs the feature ({}), which [{}] does not have: {}.",
                                                backend::name(command.operation), name(*feature), info.id,
                                                info.capability(*feature).detail));
  }
  return {};
}

}  // namespace pintle::core
