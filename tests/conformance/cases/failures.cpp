// How failure travels: to waiters, to held work, along chains of queues and devices, always as the first cause.
#include <array>
#include <atomic>
#include <stdexcept>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

Error broken() { return {Errc::io, "The sensor is unplugged."}; }

void check_cause(const Result<void>& result, const Error& cause,
                 std::source_location where = std::source_location::current()) {
  if (!check_error(result, cause.code(), {}, where)) return;
  if (!result.error().same_origin(cause)) record_failure("not the first cause: " + result.error().text(), where);
}

DEVICE_TEST(Error, FailedSignalFailsHeldWork) {
  Queue queue = test.queue("downstream");
  Signal gate = test.signal("sensor"), after = test.signal();
  const Point held = need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}, .signal = {test.at(after, 1)}}));
  const Error cause = broken();
  need(gate.fail(cause));
  check_cause(test.wait(held), cause);
  check_cause(test.wait(test.at(after, 1)), cause);
  CHECK(after.failure().has_value() && after.failure()->same_origin(cause));
}

// What is still held when its wait fails does not run.
DEVICE_TEST(Error, HeldWorkDoesNotRunAfterAFailure) {
  test.require(Feature::host_call);
  Queue queue = test.queue();
  Signal gate = test.signal();
  std::atomic<bool> ran{false};
  const Point held = need(queue.submit(CommandList{}.call([&] { ran = true; }), {.after = {test.at(gate, 1)}}));
  const Error cause = broken();
  need(gate.fail(cause));
  check_cause(test.wait(held), cause);
  static_cast<void>(test.device().poll());
  CHECK(!ran.load());
}

// A list that never runs lets go of what it holds.
DEVICE_TEST(Error, FailedWorkReleasesWhatItKept) {
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Buffer buffer = test.allocate(DType::u32, 4);
  auto source = std::make_shared<std::vector<std::uint32_t>>(4);
  const std::weak_ptr<void> watch = source;
  const auto bytes = std::as_bytes(std::span(*source));
  const Point held = need(
      queue.submit(CommandList{}.upload_retained(buffer, std::move(source), bytes), {.after = {test.at(gate, 1)}}));
  need(gate.fail(broken()));
  check_error(test.wait(held), Errc::io);
  CHECK(test.eventually([&] { return watch.expired(); }));
}

// Once failed, a queue gives the first cause to whatever is submitted later; other queues go on.
DEVICE_TEST(Error, FailedQueueStaysFailed) {
  Queue queue = test.queue("failed"), other = test.queue();
  Signal gate = test.signal();
  const Point before = need(queue.submit(CommandList{}));
  test.finish(before);
  const Point held = need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  const Point behind = need(queue.submit(CommandList{}));
  const Error cause = broken();
  need(gate.fail(cause));
  check_cause(test.wait(held), cause);
  check_cause(test.wait(behind), cause);
  for (int i = 0; i < 3; ++i) {
    const auto refused = queue.submit(CommandList{});
    check_error(refused, Errc::io, {"unplugged", "\"failed\""});
    if (!refused) CHECK(refused.error().same_origin(cause));
  }
  CHECK(need(before.is_reached()));
  check_cause(queue.last().wait(moment), cause);
  test.finish(need(other.submit(CommandList{})));
}

DEVICE_TEST(Error, WaitOnAFailedSignalFailsAtSubmit) {
  Queue queue = test.queue();
  Signal gate = test.signal();
  const Error cause = broken();
  need(gate.fail(cause));
  const auto point = queue.submit(CommandList{}, {.after = {test.at(gate, 1)}});
  if (!point) {
    CHECK(point.error().same_origin(cause));
  } else {
    check_cause(test.wait(*point), cause);
  }
}

DEVICE_TEST(Error, FailureTravelsAlongQueues) {
  constexpr std::size_t length = 6;
  std::vector<Queue> queues;
  for (std::size_t i = 0; i < length; ++i) queues.push_back(test.queue());
  Signal gate = test.signal();
  Signal link = test.signal();
  std::vector<Point> points;
  Point before = test.at(gate, 1);
  for (std::size_t i = 0; i < length; ++i) {
    points.push_back(need(queues[i].submit(CommandList{}, {.after = {before}, .signal = {test.at(link, i + 1)}})));
    before = i % 2 == 0 ? points.back() : test.at(link, i + 1);
  }
  const Error cause = broken();
  need(gate.fail(cause));
  for (const Point& point : points) check_cause(test.wait(point), cause);
  CHECK(link.failure().has_value());
}

DEVICE_TEST(Error, FailureTravelsAcrossDevices) {
  for (const std::string_view id : {"cpu", "cpu?inline", "null"}) {
    const Device other = need(open(id));
    Queue here = test.queue(), there = need(other.create_queue()), back = test.queue();
    Signal gate = test.signal(), middle = test.signal();
    need(there.submit(CommandList{}, {.after = {test.at(gate, 1)}, .signal = {test.at(middle, 1)}}));
    const Point last = need(here.submit(CommandList{}, {.after = {test.at(middle, 1)}}));
    const Point end = need(back.submit(CommandList{}, {.after = {last}}));
    const Error cause = broken();
    need(gate.fail(cause));
    check_cause(test.wait(last), cause);
    check_cause(test.wait(end), cause);
    check_cause(there.last().wait(moment), cause);
  }
}

// A failure says where it passed.
DEVICE_TEST(Error, FailureNamesItsWay) {
  Queue queue = test.queue("consumer");
  Signal gate = test.signal("sensor");
  const Point held = need(queue.submit(CommandList{}, {.after = {test.at(gate, 1)}}));
  need(gate.fail(broken()));
  check_error(test.wait(held), Errc::io, {"unplugged", "While", "\"sensor\"", "\"consumer\""});
}

DEVICE_TEST(Error, ThrowingHostCallFailsItsPoint) {
  test.require(Feature::host_call);
  Queue queue = test.queue("careless");
  Signal after = test.signal();
  const Point thrown = need(queue.submit(CommandList{}.call([] { throw std::runtime_error("the cat walked in"); }),
                                         {.signal = {test.at(after, 1)}}));
  check_error(test.wait(thrown), Errc::cancelled, {"the cat walked in", "\"careless\""});
  check_error(test.wait(test.at(after, 1)), Errc::cancelled, {"the cat walked in"});
  check_error(queue.submit(CommandList{}), Errc::cancelled, {"the cat walked in"});
}

DEVICE_TEST(Error, ThrowingHostCallFailsWhoWaits) {
  test.require(Feature::host_call);
  Queue queue = test.queue(), other = test.queue();
  const Point thrown = need(queue.submit(CommandList{}.call([] { throw 7; })));
  const Point waiting = need(other.submit(CommandList{}, {.after = {thrown}}));
  check_error(test.wait(thrown), Errc::cancelled);
  const auto result = test.wait(waiting);
  // It may have been native already, and then its own point is reached; a new submission sees the failure in any case.
  if (!result) check_error(result, Errc::cancelled);
  Queue late = test.queue();
  const auto after = late.submit(CommandList{}, {.after = {thrown}});
  check_error(after ? test.wait(*after) : Result<void>(after.error()), Errc::cancelled);
}

// S4: nothing fails silently; the error of a failed call has device, place and context.
DEVICE_TEST(Error, ErrorsSayWhereAndWhat) {
  Queue queue = test.queue("strict");
  const Buffer small = test.allocate(DType::u8, 80, "view matrix"), big = test.allocate(DType::u8, 256);
  const auto refused = queue.submit(CommandList{}.copy(small, big));
  REQUIRE(!refused);
  const Error& error = refused.error();
  CHECK(error.message().ends_with('.'));
  CHECK(!error.context().empty());
  CHECK(std::string_view(error.where().file_name()).ends_with(".cpp"));
  check_error(refused, Errc::invalid_argument,
              {"(80)", "(256)", "\"view matrix\"", " - While submitting to [Queue", "\"strict\""});
}

}  // namespace
}  // namespace pintle::conformance
