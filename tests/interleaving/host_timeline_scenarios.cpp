// The backends' host timeline: one thread advances it, anybody waits, registers, or fails it.
#include "kit/host_timeline.h"

#include "interleaving/model/model_sync.h"
#include "interleaving/model/stage.h"

namespace pintle::interleaving {
namespace {

using HostTimeline = kit::BasicHostTimeline<ModelSync>;

constexpr Deadline never = Deadline::max();
constexpr Deadline some_time{std::chrono::hours(24) + std::chrono::minutes(1)};  // before the stage's tick, not after

Error cause(std::string_view text) { return {Errc::device_lost, std::string(text)}; }

/// How a wait ended; empty while it has not.
using Outcome = std::optional<Result<void>>;

bool is_reached(const Outcome& outcome) { return outcome && outcome->has_value(); }
bool has_code(const Outcome& outcome, Errc code) { return outcome && !*outcome && outcome->error().code() == code; }

Outcome& waiting_thread(Stage& stage, HostTimeline& timeline, std::uint64_t serial, Deadline deadline = never) {
  auto& outcome = stage.make<Outcome>();
  stage.thread("waits for " + std::to_string(serial),
               [&timeline, &outcome, serial, deadline] { outcome.emplace(timeline.wait(serial, deadline)); });
  return outcome;
}

/// Counts its calls and looks what the timeline says at each.
struct Listener {
  Listener(Stage& on, HostTimeline& of, std::uint64_t value) : stage(on), timeline(of), serial(value) {}

  [[nodiscard]] backend::Notification notification() {
    return {[](void* state) { static_cast<Listener*>(state)->called(); }, this};
  }
  void called() {
    stage.check(timeline.is_settled(serial), Fault::wrong_answer, "A notification comes before its serial is settled.");
    stage.check(++calls == 1, Fault::twice, "A notification comes twice.");
  }

  Stage& stage;
  HostTimeline& timeline;
  std::uint64_t serial;
  int calls = 0;
};

Listener& listening_thread(Stage& stage, HostTimeline& timeline, std::uint64_t serial) {
  auto& listener = stage.make<Listener>(stage, timeline, serial);
  stage.thread("asks for " + std::to_string(serial), [&stage, &timeline, &listener, serial] {
    const auto accepted = timeline.notify(serial, listener.notification());
    stage.check(accepted.has_value(), Fault::wrong_answer, "A notification is refused.");
  });
  stage.finally([&] { stage.check(listener.calls == 1, Fault::unanswered, "A notification does not come."); });
  return listener;
}

void host_advance_and_wait(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("advances", [&] { timeline.advance(1); });
  const Outcome& outcome = waiting_thread(stage, timeline, 1);
  stage.finally([&] { stage.check(is_reached(outcome), Fault::wrong_answer, "A wait for a reached serial fails."); });
}

void host_two_waiters_two_serials(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("advances twice", [&] {
    timeline.advance(1);
    timeline.advance(2);
  });
  const Outcome& low = waiting_thread(stage, timeline, 1);
  const Outcome& high = waiting_thread(stage, timeline, 2);
  stage.finally([&] {
    stage.check(is_reached(low) && is_reached(high), Fault::wrong_answer, "A wait for a reached serial fails.");
  });
}

void host_deadline(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("advances", [&] { timeline.advance(1); });
  const Outcome& outcome = waiting_thread(stage, timeline, 1, some_time);
  stage.deadlines_pass();
  stage.finally([&] {
    const bool fits = is_reached(outcome) || has_code(outcome, Errc::timeout);
    stage.check(fits, Fault::wrong_answer, "A wait ends neither reached nor late.");
  });
}

void host_a_waiter_gives_up_and_another_stays(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("advances", [&] { timeline.advance(2); });
  static_cast<void>(waiting_thread(stage, timeline, 1, Deadline{}));
  const Outcome& outcome = waiting_thread(stage, timeline, 2);
  stage.finally([&] { stage.check(is_reached(outcome), Fault::wrong_answer, "A wait for a reached serial fails."); });
}

void host_fail_and_wait(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("fails", [&] { timeline.fail(cause("gone")); });
  const Outcome& outcome = waiting_thread(stage, timeline, 1);
  stage.finally([&] {
    stage.check(has_code(outcome, Errc::device_lost), Fault::wrong_answer, "A wait does not get the failure.");
  });
}

void host_fail_against_advance(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("advances", [&] { timeline.advance(1); });
  stage.thread("fails", [&] { timeline.fail(cause("gone")); });
  const Outcome& low = waiting_thread(stage, timeline, 1);
  stage.finally([&] {
    const bool fits = is_reached(low) || has_code(low, Errc::device_lost);
    stage.check(fits, Fault::wrong_answer, "A wait ends neither reached nor failed.");
    stage.check(!timeline.reached().has_value(), Fault::wrong_answer, "The failure is lost.");
  });
}

void host_first_cause(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  auto& first = stage.make<Error>(cause("first"));
  auto& second = stage.make<Error>(cause("second"));
  stage.thread("fails", [&] { timeline.fail(first); });
  stage.thread("fails too", [&] { timeline.fail(second); });
  const Outcome& outcome = waiting_thread(stage, timeline, 1);
  stage.finally([&] {
    const auto last = timeline.reached();
    const bool same = has_code(outcome, Errc::device_lost) && !last && last.error().same_origin(outcome->error());
    stage.check(same, Fault::wrong_answer, "A waiter gets another cause than the first.");
  });
}

void host_never_falls(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("advances", [&] {
    timeline.advance(2);
    timeline.advance(1);
  });
  stage.thread("reads", [&] {
    const bool before = timeline.is_reached(2);
    stage.check(!before || timeline.is_reached(2), Fault::regress, "A reached serial is taken back.");
  });
  stage.finally([&] { stage.check(timeline.is_reached(2), Fault::regress, "The value ends below what was reached."); });
}

void host_notify(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("advances", [&] { timeline.advance(1); });
  listening_thread(stage, timeline, 1);
}

void host_notify_two_serials(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("advances twice", [&] {
    timeline.advance(1);
    timeline.advance(2);
  });
  listening_thread(stage, timeline, 2);
  listening_thread(stage, timeline, 1);
}

void host_notify_and_wait(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("advances twice", [&] {
    timeline.advance(1);
    timeline.advance(2);
  });
  listening_thread(stage, timeline, 2);
  const Outcome& outcome = waiting_thread(stage, timeline, 1);
  stage.finally([&] { stage.check(is_reached(outcome), Fault::wrong_answer, "A wait for a reached serial fails."); });
}

void host_notify_and_fail(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("fails", [&] { timeline.fail(cause("gone")); });
  listening_thread(stage, timeline, 1);
}

void host_notify_against_failing_and_advancing(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  stage.thread("advances", [&] { timeline.advance(1); });
  stage.thread("fails", [&] { timeline.fail(cause("gone")); });
  listening_thread(stage, timeline, 1);
}

// A registration of the caller's own: told exactly when it was accepted.
void host_watch(Stage& stage) {
  auto& timeline = stage.make<HostTimeline>(0U);
  auto& listener = stage.make<Listener>(stage, timeline, 1U);
  auto& watch = stage.make<HostTimeline::Watch>();
  auto& accepted = stage.make<bool>(false);
  watch.serial = 1;
  watch.notification = listener.notification();
  stage.thread("advances", [&] { timeline.advance(1); });
  stage.thread("fails", [&] { timeline.fail(cause("gone")); });
  stage.thread("watches", [&] { accepted = timeline.try_watch(watch); });
  stage.finally([&] {
    stage.check(listener.calls == (accepted ? 1 : 0), Fault::unanswered,
                "A watch is not called exactly when it was accepted.");
  });
}

const Registration registration = {
    {"host_advance_and_wait", host_advance_and_wait, 1},
    {"host_deadline", host_deadline},
    {"host_a_waiter_gives_up_and_another_stays", host_a_waiter_gives_up_and_another_stays},
    {"host_fail_and_wait", host_fail_and_wait},
    {"host_fail_against_advance", host_fail_against_advance},
    {"host_first_cause", host_first_cause},
    {"host_never_falls", host_never_falls},
    {"host_notify", host_notify},
    {"host_notify_two_serials", host_notify_two_serials},
    {"host_notify_and_wait", host_notify_and_wait},
    {"host_notify_and_fail", host_notify_and_fail},
    {"host_notify_against_failing_and_advancing", host_notify_against_failing_and_advancing},
    {"host_watch", host_watch},
    {"host_two_waiters_two_serials", host_two_waiters_two_serials},
};

}  // namespace
}  // namespace pintle::interleaving
