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
    if (signal->any_native_point(point.value())) continue;
    const auto is_this = [&](const Point& other) { return peek(other) == signal.get() && other.value() >= point.value(); };
    if (std::ranges::any_of(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(next), is_this)) continue;
    const auto queue = signal->queue();
    if (queue == nullptr || !queue->add_waits(point.value(), points)) return false;
  }
  return true;
}

}  // namespace pintle::core
