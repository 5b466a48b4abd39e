#include "cli/version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string_view>

#include "pintle/device.h"
#include "pintle/version.h"

namespace pintle::cli {
namespace {

/// Every backend either lists a device or explains why it has none.
std::set<std::string> backends() {
  std::set<std::string> names;
  const auto list = devices();
  if (!list) return names;
  for (const DeviceInfo& device : list->devices) names.insert(device.backend);
  for (const Absence& absence : list->absences) names.insert(absence.backend);
  return names;
}

}  // namespace

std::string version_text() {
  constexpr std::string_view commit = PINTLE_COMMIT;
  return fmt::format("pintle {}{}\nbackends: {}", version, commit.empty() ? "" : fmt::format(" ({})", commit),
                     fmt::join(backends(), ", "));
}

}  // namespace pintle::cli
