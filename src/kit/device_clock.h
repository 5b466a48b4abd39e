// The clock of a device: the length of its ticks, and its readings in the host's time.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "kit/capability_rows.h"
#include "pintle/backend/driver.h"

namespace pintle::kit {

/// Takes what the driver's `source` says of a tick. Readings in ticks of no length mean nothing: where it is not finite
/// and above 0, timestamps and calibration are absent, with the driver's number.
inline void set_tick(DeviceInfo& info, double nanoseconds, std::string_view source) {
  const bool has_length = std::isfinite(nanoseconds) && nanoseconds > 0;
  info.nanoseconds_per_tick = has_length ? nanoseconds : 1;
  if (has_length) return;
  for (const Feature feature : {Feature::timestamp, Feature::calibration}) {
    if (info.capability(feature).support == Support::absent) continue;
    set_row(info,
            {feature, Support::absent,
             fmt::format("{} of the driver is ({}) nanoseconds, which is no length of a tick", source, nanoseconds)});
  }
}

/// A device's clock beside the host's.
struct DeviceClock {
  backend::ClockPair at;
  double nanoseconds_per_tick = 1;

  /// When the device read `ticks`: never before `first` or after `last`, whatever the clock says.
  [[nodiscard]] Deadline host_time(std::uint64_t ticks, Deadline first, Deadline last) const noexcept {
    const auto nanoseconds = [](Deadline moment) { return static_cast<double>(moment.time_since_epoch().count()); };
    const auto elapsed = static_cast<double>(static_cast<std::int64_t>(ticks - at.device_ticks));
    const double since = elapsed * nanoseconds_per_tick;
    if (!(since > nanoseconds(first) - nanoseconds(at.host))) return first;  // nor is NaN
    if (since >= nanoseconds(last) - nanoseconds(at.host)) return last;
    return std::clamp(at.host + Duration(static_cast<std::int64_t>(since)), first, last);
  }
};

}  // namespace pintle::kit
