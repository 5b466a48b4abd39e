#include "core/list/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace pintle::core {
namespace {

std::optional<Feature> feature_of(const backend::Operation& operation) noexcept {
  if (std::holds_alternative<backend::HostCall>(operation)) return Feature::host_call;
  if (std::holds_alternative<backend::Timestamp>(operation)) return Feature::timestamp;
  if (std::holds_alternative<backend::ExecIndirect>(operation)) return Feature::indirect;
  return std::nullopt;
}

}  // namespace

Result<void> check_feature(const backend::Operation& operation, const DeviceInfo& info) {
  const auto feature = feature_of(operation);
  if (!feature) return {};
  const auto row = std::ranges::find(info.capabilities, *feature, &Capability::feature);
  if (row != info.capabilities.end() && row->support != Support::absent) return {};
  return Error(Errc::unsupported,
               fmt::format("Command ({}) needs the feature ({}), which [{}] does not have: {}.",
                           backend::name(operation), name(*feature), info.id, info.capability(*feature).detail));
}

}  // namespace pintle::core
