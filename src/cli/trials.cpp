#include "cli/trials.h"

#include "base/kept_number.h"
#include "base/settings.h"
#include "pintle/device.h"

namespace pintle::cli {

Findings look_at_each(bool (*is_for)(const DeviceInfo&), Finding (*look_at)(const DeviceInfo&)) {
  Findings all;
  const auto list = devices();
  if (!list) return all;
  for (const DeviceInfo& info : list->devices) {
    if (is_for(info)) all.push_back(look_at(info));
  }
  return all;
}

Result<void> keep(const std::string& subject, std::uint64_t number) {
  PINTLE_ASSIGN(settings, base::settings());
  return base::keep_number(base::cache_folder(*settings), subject, number);
}

}  // namespace pintle::cli
