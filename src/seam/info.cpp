#include "pintle/info.h"

#include <algorithm>
#include <array>

#include "base/immortal.h"

namespace pintle {
namespace {

template <std::size_t N>
std::string_view name_at(const std::array<std::string_view, N>& names, std::size_t index) noexcept {
  return index < N ? names[index] : "unknown";
}

/// A row for each feature, the last for what is none; short words need no memory.
const Capability& not_listed(Feature feature) noexcept {
  struct Rows {
    std::array<Capability, 13> all;
    Rows() {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = {static_cast<Feature>(i), Support::absent, "not listed"};
    }
  };
  static const base::Immortal<Rows> rows;
  return rows.value.all[std::min(static_cast<std::size_t>(feature), rows.value.all.size() - 1)];
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

const Capability& DeviceInfo::capability(Feature feature) const noexcept {
  const auto row = std::ranges::find(capabilities, feature, &Capability::feature);
  return row != capabilities.end() ? *row : not_listed(feature);
}

}  // namespace pintle
