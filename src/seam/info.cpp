#include "pintle/info.h"

#include <algorithm>
#include <array>

namespace pintle {
namespace {

template <std::size_t N>
std::string_view name_at(const std::array<std::string_view, N>& names, std::size_t index) noexcept {
  return index < N ? names[index] : "unknown";
}

}  // namespace

std::string_view name(DeviceKind kind) noexcept {
  static constexpr std::array<std::string_view, 6> names{"cpu",         "discrete_gpu", "integrated_gpu",
                                                         "accelerator", "software",     "simulated"};
  return name_at(names, static_cast<std::size_t>(kind));
}

std::string_view name(Feature feature) noexcept {
  static constexpr std::array<std::string_view, 12> names{"execution",   "copy_queue",    "host_call",   "timestamp",
                                                          "indirect",    "mapped_memory", "recording",   "notification",
                                                          "host_import", "memory_export", "calibration", "constants"};
  return name_at(names, static_cast<std::size_t>(feature));
}

std::string_view name(Support support) noexcept {
  static constexpr std::array<std::string_view, 3> names{"native", "emulated", "absent"};
  return name_at(names, static_cast<std::size_t>(support));
}

Capability DeviceInfo::capability(Feature feature) const {
  const auto row = std::ranges::find(capabilities, feature, &Capability::feature);
  return row != capabilities.end() ? *row : Capability{feature, Support::absent, "not listed"};
}

}  // namespace pintle
