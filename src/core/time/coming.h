// Whether points come without the host.
#pragma once

#include <optional>
#include <vector>

#include "pintle/signal.h"

namespace pintle::core {

/// Whether everything that these points wait for has been submitted: some backend has what comes first, and each of
/// them is reached or fails though the host does nothing more. Takes the locks of other devices, one at a time.
[[nodiscard]] bool come_by_themselves(const std::vector<Point>& points);
/// Those of `others` that do not come by themselves; none where `first` does not either.
[[nodiscard]] std::vector<Point> left_behind(const Point& first, const std::vector<Point>& others);

/// Where the queue of a point has failed and its backend may still run that submission: what is reached when it has
/// done with it. Takes the lock of that queue's device.
[[nodiscard]] std::optional<Point> over_of(const Point& point);
/// Whether that may be so; takes no lock.
[[nodiscard]] bool may_run_on(const Point& point);

}  // namespace pintle::core
