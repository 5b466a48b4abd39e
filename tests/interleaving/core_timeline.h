// Core's timeline under the model, and a thread that waits for it as core does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/time/timeline.h"
#include "core/time/worklist.h"
#include "interleaving/model/model_sync.h"
#include "interleaving/model/stage.h"
#include "pintle/error.h"

namespace pintle::interleaving {

using core::PointStatus;
using Timeline = core::BasicTimeline<ModelSync>;
using Parker = core::BasicParker<ModelSync>;
using ParkedWaiter = core::BasicParkedWaiter<ModelSync>;

inline constexpr Deadline never = Deadline::max();
inline constexpr Deadline some_time{std::chrono::hours(24) +
                                    std::chrono::minutes(1)};  // before the stage's tick, not after
inline constexpr Deadline past{};

inline void raise(Timeline& timeline, std::uint64_t value) {
  core::Worklist worklist;
  timeline.raise(value, worklist);
}

inline bool fail(Timeline& timeline, const Error& error, std::optional<std::uint64_t> from = std::nullopt) {
  core::Worklist worklist;
  return timeline.fail(error, worklist, from);
}

/// What a wait answered: pending means that the deadline passed.
class Answer {
 public:
  void give(Stage& stage, PointStatus status) {
    stage.check(!status_, Fault::twice, "A wait answers twice.");
    status_ = status;
  }
  [[nodiscard]] bool is(PointStatus status) const { return status_ == status; }

 private:
  std::optional<PointStatus> status_;
};

/// SignalState::wait without devices: the waiter links itself, `linked` runs, the thread sleeps until it is fired.
template <class Linked>
PointStatus wait(Stage& stage, Timeline& timeline, std::uint64_t value, Deadline deadline, Linked linked) {
  auto& parker = stage.make<Parker>();
  auto& waiter = stage.make<ParkedWaiter>(parker);
  PointStatus status = timeline.add(waiter, value);
  if (status == PointStatus::pending) {
    linked();
    if (parker.park(deadline) || !timeline.remove(waiter)) {
      status = timeline.status(value);
      stage.check(status != PointStatus::pending, Fault::unanswered,
                  "A waiter was fired and its point is still pending.");
    }
  }
  stage.destroy(parker);  // as it goes out of scope in core: a thread that fires the waiter from now on is seen
  return status;
}

inline PointStatus wait(Stage& stage, Timeline& timeline, std::uint64_t value, Deadline deadline = never) {
  return wait(stage, timeline, value, deadline, [] {});
}

}  // namespace pintle::interleaving
