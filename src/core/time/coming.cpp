#include "core/time/coming.h"

#include <algorithm>
#include <utility>

#include "core/time/signal_state.h"

namespace pintle::core {

bool come_by_themselves(std::vector<Point> points) {
  for (std::size_t next = 0; next < points.size(); ++next) {
    const Point point = points[next];
    const auto signal = state_of(point);
    if (signal->timeline().status(point.value()) != PointStatus::pending) continue;
    const auto promised = signal->promised(point.value());
    if (!promised) return false;
    if (promised->queue->is_native(promised->serial)) continue;
    const auto is_this = [&](const Point& other) {
      return peek(other) == signal.get() && other.value() >= point.value();
    };
    if (std::ranges::any_of(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(next), is_this)) continue;
    if (!promised->queue->add_waits(promised->serial, points)) return false;
  }
  return true;
}

}  // namespace pintle::core
