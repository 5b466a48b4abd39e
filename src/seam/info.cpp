#include "pintle/info.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/immortal.h"

namespace pintle {
namespace {

/// The enumerators' numbers begin with 1.
template <class Enum, std::size_t N>
std::string_view name_of(const std::array<std::string_view, N>& names, Enum value) noexcept {
  const std::size_t number = std::to_underlying(value);
  return number >= 1 && number <= N ? names[number - 1] : "unknown";
}

constexpr auto feature_names = std::to_array<std::string_view>(
    {"execution",       "copy_queue",        "host_call",       "timestamp",     "indirect",      "mapped_memory",
     "recording",       "notification",      "host_import",     "memory_export", "calibration",   "constants",
     "local_arguments", "float_atomics",     "bounds",          "images",        "texel_buffers", "immediates",
     "subgroups",       "subgroup_matrices", "optional_buffers"});

/// A row for each feature, the first for a number that is none; short words need no memory.
const Capability& not_listed(Feature feature) noexcept {
  struct Rows {
    std::array<Capability, feature_names.size() + 1> all;
    Rows() {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = {static_cast<Feature>(i), Support::absent, "not listed"};
    }
  };
  static const base::Immortal<Rows> rows;
  const std::size_t number = std::to_underlying(feature);
  return rows.value.all[number < rows.value.all.size() ? number : 0];
}

}  // namespace

std::string_view name(DeviceKind kind) noexcept {
  static constexpr std::array<std::string_view, 6> names{"cpu",         "discrete_gpu", "integrated_gpu",
                                                         "accelerator", "software",     "simulated"};
  return name_of(names, kind);
}

std::string_view name(Feature feature) noexcept { return name_of(feature_names, feature); }

std::string_view name(Support support) noexcept {
  static constexpr std::array<std::string_view, 3> names{"native", "emulated", "absent"};
  return name_of(names, support);
}

const Capability& DeviceInfo::capability(Feature feature) const noexcept {
  const auto row = std::ranges::find(capabilities, feature, &Capability::feature);
  return row != capabilities.end() ? *row : not_listed(feature);
}

}  // namespace pintle
