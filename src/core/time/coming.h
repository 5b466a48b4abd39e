// Whether points come without the host.
#pragma once

#include <optional>
#include <vector>

#include "pintle/signal.h"

namespace pintle::core {

/// Whether everything that these points wait for has been submitted: some backend has what comes first, and each of the
/// points is reached or fails though the host does nothing more. Takes the locks of other devices, one at a time.
[[nodiscard]] bool come_by_themselves(const std::vector<Point>& points);
/// The points among `others` that do not come by themselves; none where `first` does not come by itself either.
[[nodiscard]] std::vector<Point> left_behind(const Point& first, const std::vector<Point>& others);

/// The queue of a point may have failed while its backend still runs the submission: then a point that is reached when
/// the backend has done with it. Takes the lock of that queue's device.
[[nodiscard]] std::optional<Point> over_of(const Point& point);
/// Whether a backend may still run the submission of a failed point. Takes no lock.
[[nodiscard]] bool may_run_on(const Point& point);

}  // namespace pintle::core
