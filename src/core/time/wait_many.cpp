// Waiting for several points at once.
#include <deque>
#include <span>

#include "base/inside.h"
#include "base/timeout.h"
#include "core/door/door.h"
#include "core/time/reactor.h"
#include "core/time/signal_state.h"
#include "pintle/signal.h"

namespace pintle {
namespace {

using core::PointStatus;

// The state of the points at one moment.
struct Survey {
  std::optional<std::size_t> reached;  // the first of them
  std::optional<std::size_t> failed;
  std::optional<std::size_t> pending;
};

PointStatus status_of(const Point& point) { return Inside::signal(point)->timeline().status(point.value()); }

Survey survey(std::span<const Point> points) {
  Survey found;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointStatus status = status_of(points[i]);
    auto& first = status == PointStatus::reached  ? found.reached
                  : status == PointStatus::failed ? found.failed
                                                  : found.pending;
    if (!first) first = i;
  }
  return found;
}

// Sleeps until one of the pending points is reached or fails; false when the deadline passes first. A point that was
// reached since the last look is not linked, so `is_settled` looks again after the others are linked.
template <class IsSettled>
bool park(std::span<const Point> points, Deadline deadline, IsSettled is_settled) {
  core::Parker parker;
  std::deque<core::ParkedWaiter> waiters;
  std::deque<const Point*> linked;
  bool changed = false;
  for (const Point& point : points) {
    if (status_of(point) != PointStatus::pending) continue;
    const auto signal = Inside::signal(point);
    changed |= signal->timeline().add(waiters.emplace_back(parker), point.value()) != PointStatus::pending;
    linked.push_back(&point);
    signal->watch(point.value());
    signal->drive(point.value());
  }
  changed = changed || is_settled() || parker.park(deadline);
  for (std::size_t i = 0; i < linked.size(); ++i) changed |= !Inside::signal(*linked[i])->timeline().remove(waiters[i]);
  return changed;
}

Result<void> check(std::span<const Point> points) {
  for (const Point& point : points) {
    if (!Inside::signal(point)) return core::empty_object("Point");
  }
  return {};
}

// Waits until `is_done` accepts the state of the points, a point fails, or the deadline passes.
template <class IsDone>
Result<Survey> wait_until(std::span<const Point> points, Deadline deadline, IsDone is_done) {
  for (const Point& point : points) Inside::signal(point)->refresh();
  for (;;) {
    const Survey found = survey(points);
    if (is_done(found)) return found;
    if (found.failed) return Inside::signal(points[*found.failed])->failure();
    if (core::no_blocking > 0) return core::blocking_refused("Waiting for several points");
    const auto is_settled = [&] {
      const Survey now = survey(points);
      return is_done(now) || now.failed;
    };
    if (park(points, deadline, is_settled)) continue;
    return core::Reactor::instance().explain(
        Inside::signal(points[*found.pending])->timed_out(points[*found.pending].value()));
  }
}

}  // namespace

Result<void> wait_all(std::span<const Point> points, Timeout timeout) {
  return core::enter("waiting for all points", [&]() -> Result<void> {
    PINTLE_TRY(check(points));
    return base::bounded(timeout, [&](Deadline deadline) -> Result<void> {
      PINTLE_TRY(wait_until(points, deadline, [](const Survey& found) { return !found.failed && !found.pending; }));
      for (const Point& point : points) core::await(Inside::signal(point)->letting_go(), deadline);
      return {};
    });
  });
}

Result<std::size_t> wait_any(std::span<const Point> points, Timeout timeout) {
  return core::enter("waiting for any point", [&]() -> Result<std::size_t> {
    PINTLE_TRY(check(points));
    if (points.empty()) return core::invalid("Waiting for any of (0) points would never end.");
    return base::bounded(timeout, [&](Deadline deadline) -> Result<std::size_t> {
      PINTLE_ASSIGN(found, wait_until(points, deadline, [](const Survey& seen) { return seen.reached.has_value(); }));
      core::await(Inside::signal(points[*found.reached])->letting_go(), deadline);
      return *found.reached;
    });
  });
}

}  // namespace pintle
