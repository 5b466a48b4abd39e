// Host functions as commands.
#include <atomic>
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
  const Point held = need(other.submit(CommandList{}, {.wait = {test.at(signal, 1)}}));
  need(queue.submit(CommandList{}.call([&] { check_ok(test.raise(signal, 1)); })));
  test.finish(held);
}

DEVICE_TEST(HostCall, MaySubmitToAnotherQueue) {
  test.require(Feature::host_call);
  Queue queue = test.queue(), other = test.queue();
  Signal after = test.signal();
  need(queue.submit(
      CommandList{}.call([&] { check_ok(other.submit(CommandList{}, {.signal = {test.at(after, 1)}})); })));
  test.finish(test.at(after, 1));
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

}  // namespace
}  // namespace pintle::conformance
