// Raising and failing core's timeline against those who wait.
#include "interleaving/core_timeline.h"

namespace pintle::interleaving {
namespace {

Error cause(std::string_view text) { return {Errc::device_lost, std::string(text)}; }

void expect_reached(Stage& stage, const Answer& answer) {
  stage.check(answer.is(PointStatus::reached), Fault::wrong_answer,
              "A wait for a value that is raised is not answered with it.");
}

void expect_failed(Stage& stage, const Answer& answer) {
  stage.check(answer.is(PointStatus::failed), Fault::wrong_answer, "A wait for a point that fails is not answered so.");
}

Answer& waiting_thread(Stage& stage, Timeline& timeline, std::uint64_t value, Deadline deadline = never) {
  auto& answer = stage.make<Answer>();
  stage.thread("waits for " + std::to_string(value), [&stage, &timeline, &answer, value, deadline] {
    answer.give(stage, wait(stage, timeline, value, deadline));
  });
  return answer;
}

void raising_thread(Stage& stage, Timeline& timeline, std::uint64_t value) {
  stage.thread("raises to " + std::to_string(value), [&timeline, value] { raise(timeline, value); });
}

void setter_and_waiter(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  raising_thread(stage, timeline, 1);
  const Answer& answer = waiting_thread(stage, timeline, 1);
  stage.finally([&] { expect_reached(stage, answer); });
}

void setter_and_waiter_near_the_end_of_values(Stage& stage) {
  constexpr auto last = ~std::uint64_t{0};
  auto& timeline = stage.make<Timeline>(last - 2);
  raising_thread(stage, timeline, last);
  const Answer& answer = waiting_thread(stage, timeline, last - 1);
  stage.finally([&] { expect_reached(stage, answer); });
}

void two_setters_and_a_waiter(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  raising_thread(stage, timeline, 1);
  raising_thread(stage, timeline, 2);
  const Answer& answer = waiting_thread(stage, timeline, 2);
  stage.finally([&] {
    expect_reached(stage, answer);
    stage.check(timeline.value() == 2, Fault::regress, "The value is not the highest that was set.");
  });
}

void two_waiters_at_one_value(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  raising_thread(stage, timeline, 1);
  const Answer& first = waiting_thread(stage, timeline, 1);
  const Answer& second = waiting_thread(stage, timeline, 1);
  stage.finally([&] {
    expect_reached(stage, first);
    expect_reached(stage, second);
  });
}

void waiters_at_two_values(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  stage.thread("raises twice", [&] {
    raise(timeline, 1);
    raise(timeline, 2);
  });
  const Answer& low = waiting_thread(stage, timeline, 1);
  const Answer& high = waiting_thread(stage, timeline, 2);
  stage.finally([&] {
    expect_reached(stage, low);
    expect_reached(stage, high);
  });
}

void one_thread_waits_twice(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  raising_thread(stage, timeline, 1);
  raising_thread(stage, timeline, 2);
  stage.thread("waits for 1, then 2", [&] {
    for (const std::uint64_t value : {1U, 2U}) {
      const PointStatus status = wait(stage, timeline, value);
      stage.check(status == PointStatus::reached, Fault::wrong_answer,
                  "A wait for a raised value does not answer with it.");
    }
  });
}

void the_value_never_falls(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  raising_thread(stage, timeline, 2);
  raising_thread(stage, timeline, 1);
  stage.thread("reads", [&] {
    std::uint64_t before = timeline.value();
    for (int i = 0; i < 2; ++i) {
      const std::uint64_t value = timeline.value();
      stage.check(value >= before, Fault::regress, "The value falls.");
      before = value;
    }
  });
  stage.finally([&] { stage.check(timeline.value() == 2, Fault::regress, "The value ends below what was set."); });
}

void failing_against_raising(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  auto& error = stage.make<Error>(cause("the device is gone"));
  raising_thread(stage, timeline, 1);
  stage.thread("fails",
               [&] { stage.check(fail(timeline, error), Fault::wrong_answer, "The only failure is refused."); });
  auto& answer = waiting_thread(stage, timeline, 1);
  stage.finally([&] {
    const PointStatus status = timeline.status(1);
    stage.check(status != PointStatus::pending, Fault::unanswered, "A failed timeline still has a pending point.");
    stage.check(answer.is(status), Fault::regress, "The answer that a waiter got is taken back.");
    const bool is_cause = timeline.failure() && timeline.failure()->same_origin(error);
    stage.check(is_cause, Fault::wrong_answer, "The failure is not the cause.");
  });
}

void the_first_cause_wins(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  auto& first = stage.make<Error>(cause("first"));
  auto& second = stage.make<Error>(cause("second"));
  auto& won = stage.make<std::pair<bool, bool>>(false, false);
  stage.thread("fails", [&] { won.first = fail(timeline, first); });
  stage.thread("fails too", [&] { won.second = fail(timeline, second); });
  auto& answer = stage.make<Answer>();
  stage.thread("waits", [&] {
    answer.give(stage, wait(stage, timeline, 1));
    const auto seen = timeline.failure();
    const auto last = timeline.failure();
    stage.check(seen && last && seen->same_origin(*last), Fault::regress, "A waiter sees the cause change.");
  });
  stage.finally([&] {
    expect_failed(stage, answer);
    stage.check(won.first != won.second, Fault::wrong_answer, "Not exactly one failure is the first.");
    const auto failure = timeline.failure();
    const bool fits = failure && failure->same_origin(won.first ? first : second);
    stage.check(fits, Fault::wrong_answer, "The failure is not that of the thread that failed it first.");
  });
}

void failing_from_a_point_on(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  auto& error = stage.make<Error>(cause("submission 2 does not start"));
  stage.thread("fails from 2 on", [&] { fail(timeline, error, 2); });
  raising_thread(stage, timeline, 1);
  const Answer& before = waiting_thread(stage, timeline, 1);
  const Answer& beyond = waiting_thread(stage, timeline, 2);
  stage.finally([&] {
    expect_reached(stage, before);
    expect_failed(stage, beyond);
  });
}

void a_failed_point_stays_failed(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  auto& error = stage.make<Error>(cause("submission 2 does not start"));
  stage.thread("fails from 2 on", [&] { fail(timeline, error, 2); });
  raising_thread(stage, timeline, 2);
  auto& answer = waiting_thread(stage, timeline, 2);
  stage.finally([&] {
    const PointStatus status = timeline.status(2);
    stage.check(status != PointStatus::pending, Fault::unanswered, "A failed point is pending.");
    stage.check(answer.is(status), Fault::regress, "The answer that a waiter got is taken back.");
  });
}

// A held submission fails, then the device is lost while an earlier one still runs: that one fails too.
void a_later_failure_begins_earlier(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  stage.thread("fails from 2, then from 1 on", [&] {
    fail(timeline, cause("submission 2 does not start"), 2);
    fail(timeline, cause("the device is gone"), 1);
  });
  const Answer& before = waiting_thread(stage, timeline, 1);
  const Answer& beyond = waiting_thread(stage, timeline, 2);
  stage.finally([&] {
    expect_failed(stage, before);
    expect_failed(stage, beyond);
  });
}

// Polls take no lock, so they meet a failure half written.
void polling_while_it_fails(Stage& stage) {
  auto& timeline = stage.make<Timeline>(0U);
  auto& error = stage.make<Error>(cause("submission 2 does not start"));
  stage.thread("fails from 2 on", [&] { fail(timeline, error, 2); });
  raising_thread(stage, timeline, 1);
  stage.thread("polls", [&] {
    stage.check(timeline.status(1) != PointStatus::failed, Fault::wrong_answer,
                "A point before the failure is failed.");
    const PointStatus first = timeline.status(2);
    const PointStatus second = timeline.status(2);
    stage.check(first == PointStatus::pending || first == second, Fault::regress, "An answer is taken back.");
  });
  stage.finally([&] {
    stage.check(timeline.status(1) == PointStatus::reached, Fault::wrong_answer,
                "The point before the failure is not reached.");
    stage.check(timeline.status(2) == PointStatus::failed, Fault::wrong_answer,
                "The point of the failure is not failed.");
  });
}

const Registration registration = {
    {"the_value_never_falls", the_value_never_falls},
    {"setter_and_waiter", setter_and_waiter, 1},
    {"setter_and_waiter_near_the_end_of_values", setter_and_waiter_near_the_end_of_values},
    {"two_setters_and_a_waiter", two_setters_and_a_waiter},
    {"two_waiters_at_one_value", two_waiters_at_one_value},
    {"waiters_at_two_values", waiters_at_two_values},
    {"one_thread_waits_twice", one_thread_waits_twice},
    {"failing_against_raising", failing_against_raising},
    {"the_first_cause_wins", the_first_cause_wins},
    {"failing_from_a_point_on", failing_from_a_point_on},
    {"a_failed_point_stays_failed", a_failed_point_stays_failed},
    {"a_later_failure_begins_earlier", a_later_failure_begins_earlier},
    {"polling_while_it_fails", polling_while_it_fails},
};

}  // namespace
}  // namespace pintle::interleaving
