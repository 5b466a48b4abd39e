// Whether points come without the host.
#pragma once

#include <span>
#include <vector>

#include "core/time/signal_state.h"
#include "pintle/signal.h"

namespace pintle::core {

/// For each of these lists of points, whether everything that they wait for has been submitted: some backend has what
/// comes first, and each of the points is reached or fails though the host does nothing more. One search answers for
/// all, in time proportional to what they wait for. Takes the locks of other devices, one at a time.
[[nodiscard]] std::vector<bool> which_come(std::span<const std::vector<Point>> lists);

}  // namespace pintle::core
