// Host functions as commands.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "conformance/ways.h"

namespace pintle::conformance {
namespace {

DEVICE_TEST(HostCall, IsHonest) {
  Queue queue = test.queue();
  std::atomic<int> calls{0};
  const auto point = queue.submit(CommandList{}.call([&] { ++calls; }));
  if (!test.has(Feature::host_call)) {
    check_error(point, Errc::unsupported, {"host_call"});
    return;
  }
  test.finish(need(point));
  CHECK_EQ(calls.load(), 1);
}

DEVICE_TEST(HostCall, RunsOnceAndIsLetGo) {
  test.require(Feature::host_call);
  Queue queue = test.queue();
  auto owned = std::make_shared<std::atomic<int>>(0);
  const std::weak_ptr<std::atomic<int>> watch = owned;
  std::atomic<int> calls{0};
  need(queue.submit(CommandList{}.call([owned = std::move(owned), &calls] {
    ++*owned;
    ++calls;
  })));
  test.finish(queue.last());
  CHECK_EQ(calls.load(), 1);
  CHECK(test.eventually([&] { return watch.expired(); }));
}

DEVICE_TEST(HostCall, StandsInOrderWithTheCommandsAround) {
  test.require(Feature::host_call);
  test.require_bytes();
  Queue queue = test.queue();
  const Buffer buffer = test.allocate(DType::u32, 4);
  std::vector<std::uint32_t> before(4), seen;
  need(queue.submit(
      CommandList{}.fill(buffer, 5u).download(before, buffer).call([&] { seen = before; }).fill(buffer, 6u)));
  test.finish(queue.last());
  CHECK_EQ(seen, std::vector<std::uint32_t>(4, 5));
  CHECK_EQ(test.read<std::uint32_t>(queue, buffer), std::vector<std::uint32_t>(4, 6));
}

DEVICE_TEST(HostCall, MayNotBlock) {
  test.require(Feature::host_call);
  Queue queue = test.queue();
  Signal never = test.signal("never");
  need(queue.submit(CommandList{}.call([&] {
    check_error(test.at(never, 1).wait(patience), Errc::invalid_argument, {"\"never\""});
    check_error(test.device().wait_idle(patience), Errc::invalid_argument);
    check_ok(test.at(never, 0).wait(patience));
  })));
  test.finish(queue.last());
}

DEVICE_TEST(HostCall, MayRaiseSignals) {
  test.require(Feature::host_call);
  Queue queue = test.queue(), other = test.queue();
  Signal signal = test.signal();
  const Point held = need(other.submit(CommandList{}, {.after = {test.at(signal, 1)}}));
  const Point raised = need(queue.submit(CommandList{}.call([&] { check_ok(test.raise(signal, 1)); })));
  test.finish(held);
  test.finish(raised);  // the call uses what goes with this scope
}

DEVICE_TEST(HostCall, MaySubmitToAnotherQueue) {
  test.require(Feature::host_call);
  Queue queue = test.queue(), other = test.queue();
  Signal after = test.signal();
  const Point submitted = need(queue.submit(
      CommandList{}.call([&] { check_ok(other.submit(CommandList{}, {.signal = {test.at(after, 1)}})); })));
  test.finish(test.at(after, 1));
  test.finish(submitted);  // the call uses what goes with this scope
}

DEVICE_TEST(HostCall, RunsAtEachReplay) {
  test.require(Feature::host_call);
  Queue queue = test.queue();
  std::atomic<int> calls{0};
  const Recording recording = need(test.device().record(CommandList{}.call([&] { ++calls; })));
  for (int i = 0; i < 5; ++i) need(queue.replay(recording));
  test.finish(queue.last());
  CHECK_EQ(calls.load(), 5);
}

// Runs that nobody has looked at shared the place of the error.
DEVICE_TEST(HostCall, AThrowFailsTheReplayThatRanIt) {
  test.require(Feature::host_call);
  Queue queue = test.queue();
  std::atomic<int> runs{0};
  const Recording recording = need(test.device().record(CommandList{}.call([&] {
    if (runs.fetch_add(1) == 2) throw std::runtime_error("the third run throws");
  })));
  const Point first = need(queue.replay(recording)), second = need(queue.replay(recording)),
              third = need(queue.replay(recording));
  for (const Deadline end = Clock::now() + patience; !test.is_driven() && runs.load() < 3 && Clock::now() < end;)
    std::this_thread::yield();  // without a look at the queue
  check_error(test.wait(third), Errc::cancelled, {"the third run throws"});
  check_ok(test.wait(second));
  check_ok(test.wait(first));
}

DEVICE_TEST(HostCall, AThrowFailsItsOwnQueueAlone) {
  test.require(Feature::host_call);
  if (test.is_driven()) test.not_applicable("only one thread runs its work, so that no two replays run at once");
  Queue failing = test.queue("failing"), other = test.queue("other");
  std::atomic<int> first{0}, second{0};
  std::atomic<bool> is_over{false};
  const Recording recording = need(test.device().record(CommandList{}
                                                            .call([&] {
                                                              if (first.fetch_add(1) == 0) {
                                                                throw std::runtime_error("the first run throws");
                                                              }
                                                            })
                                                            .call([&] {
                                                              if (second.fetch_add(1) != 0) return;
                                                              while (!is_over.load()) std::this_thread::yield();
                                                            })));
  const Point fails = need(failing.replay(recording));
  CHECK(test.eventually([&] { return second.load() != 0; }));
  check_ok(test.wait(need(other.replay(recording))));
  is_over = true;
  check_error(test.wait(fails), Errc::cancelled, {"the first run throws"});
}

}  // namespace
}  // namespace pintle::conformance
