// Waiters that leave, time out, share a thread, or count how often they are told.
#include "interleaving/core_timeline.h"

namespace pintle::interleaving {
namespace {

/// A waiter that knows whether it may still be fired.
class Probe final : public Timeline::Waiter {
 public:
  Probe(Stage& stage, Parker& parker) : stage_(stage), parker_(parker) {}

  void fire(core::Worklist&) noexcept override {
    stage_.check(!is_retired_, Fault::reuse, "A waiter is fired after it was removed.");
    stage_.check(!is_fired_, Fault::twice, "A waiter is fired twice.");
    is_fired_ = true;
    is_firing_ = true;
    parker_.unpark();
    is_firing_ = false;
  }
  /// Its memory is somebody else's from now on.
  void retire() {
    stage_.check(!is_firing_, Fault::reuse, "A waiter's memory is given back while it is being fired.");
    is_retired_ = true;
  }
  [[nodiscard]] bool is_fired() const noexcept { return is_fired_; }

 private:
  Stage& stage_;
  Parker& parker_;
  bool is_fired_ = false;
  bool is_firing_ = false;
  bool is_retired_ = false;
};

// Waits with a probe until the deadline, and gives everything back.
void wait_and_leave(Stage& stage, Timeline& timeline, std::uint64_t value, Deadline deadline) {
  auto& parker = stage.make<Parker>();
  auto& probe = stage.make<Probe>(stage, parker);
  if (timeline.add(probe, value) == PointStatus::pending) {
    const bool woken = parker.park(deadline);
    const bool removed = timeline.remove(probe);
    stage.check(!(woken && removed), Fault::wrong_answer, "A parker wakes although its waiter was not fired.");
    stage.check(removed != probe.is_fired(), Fault::unanswered, "A waiter that was not removed was not fired either.");
  }
  probe.retire();
  stage.destroy(parker);
}

void leaving_while_it_is_raised(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  stage.thread("raises", [&] { raise(timeline, 1); });
  stage.thread("leaves", [&] { wait_and_leave(stage, timeline, 1, some_time); });
  stage.deadlines_pass();
}

void leaving_at_once(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  stage.thread("raises", [&] { raise(timeline, 1); });
  stage.thread("leaves", [&] { wait_and_leave(stage, timeline, 1, past); });
  stage.thread("leaves too", [&] { wait_and_leave(stage, timeline, 1, past); });
}

void leaving_while_it_fails(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  stage.thread("fails", [&] { fail(timeline, Error(Errc::device_lost, "The device is gone.")); });
  stage.thread("leaves", [&] { wait_and_leave(stage, timeline, 1, some_time); });
  stage.deadlines_pass();
}

// The one that leaves stands between two that stay; the list must hold together.
void one_leaves_and_others_stay(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  auto& parker = stage.make<Parker>();
  auto& low = stage.make<Probe>(stage, parker);
  auto& high = stage.make<Probe>(stage, parker);
  auto& middle = stage.make<Probe>(stage, parker);
  for (const auto& [probe, value] : {std::pair(&high, 3U), std::pair(&low, 1U), std::pair(&middle, 2U)}) {
    stage.check(timeline.add(*probe, value) == PointStatus::pending, Fault::wrong_answer, "A point is not pending.");
  }
  stage.thread("raises", [&] { raise(timeline, 3); });
  stage.thread("leaves", [&] {
    const bool removed = timeline.remove(middle);
    stage.check(removed != middle.is_fired(), Fault::unanswered, "A waiter that was not removed was not fired either.");
    middle.retire();
  });
  stage.thread("waits for 2", [&] { wait_and_leave(stage, timeline, 2, never); });
  stage.finally([&] {
    stage.check(low.is_fired() && high.is_fired(), Fault::unanswered, "A waiter that stayed was not fired.");
    stage.check(!timeline.has_waiters(3), Fault::unanswered, "Somebody is still linked at the end.");
  });
}

void a_timed_wait_answers_what_is_true(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  stage.thread("raises", [&] { raise(timeline, 1); });
  stage.thread("waits", [&] {
    const PointStatus status = wait(stage, timeline, 1, some_time);
    const bool is_late = Execution::current().now() >= some_time;
    stage.check(status == PointStatus::reached || is_late, Fault::wrong_answer, "A wait gives up before its deadline.");
  });
  stage.deadlines_pass();
}

// Waiting for any: one thread, a waiter on each timeline.
void waiting_for_any(Stage& stage) {
  auto& left = stage.make<Timeline>(0U);
  auto& right = stage.make<Timeline>(0U);
  stage.thread("raises the left", [&] { raise(left, 1); });
  stage.thread("fails the right", [&] { fail(right, Error(Errc::device_lost, "The device is gone.")); });
  stage.thread("waits for any", [&] {
    auto& parker = stage.make<Parker>();
    auto& on_left = stage.make<Probe>(stage, parker);
    auto& on_right = stage.make<Probe>(stage, parker);
    const bool both_pending =
        left.add(on_left, 1) == PointStatus::pending && right.add(on_right, 1) == PointStatus::pending;
    if (both_pending) stage.check(parker.park(never), Fault::wrong_answer, "A wait without a deadline gives up.");
    left.remove(on_left);
    right.remove(on_right);
    const bool any_fired = on_left.is_fired() || on_right.is_fired();
    stage.check(any_fired || !both_pending, Fault::unanswered, "A thread is woken and none of its waiters was fired.");
    for (Probe* probe : {&on_left, &on_right}) probe->retire();
    stage.destroy(parker);
  });
}

const Registration registration = {
    {"leaving_while_it_is_raised", leaving_while_it_is_raised, 1},
    {"leaving_at_once", leaving_at_once},
    {"leaving_while_it_fails", leaving_while_it_fails},
    {"one_leaves_and_others_stay", one_leaves_and_others_stay},
    {"a_timed_wait_answers_what_is_true", a_timed_wait_answers_what_is_true},
    {"waiting_for_any", waiting_for_any},
};

}  // namespace
}  // namespace pintle::interleaving
