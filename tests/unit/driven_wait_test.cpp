// A process without threads of the library: a wait that can only be over after a poll says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <span>

#include "pintle/pintle.h"

namespace pintle {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void say(const Result<void>& waited) {
  std::fprintf(stderr, "%s\n", waited ? "reached" : waited.error().text().c_str());
  std::exit(0);
}

Point held_behind_a_callback(Queue& queue, Queue& other) {
  Signal signal = must(Signal::create());
  const Point first = must(queue.submit(CommandList{}));
  must(first.then([signal](const Result<void>&) mutable { must(signal.set(1)); }));
  return must(other.submit(CommandList{}, {.after = {signal.at(1)}}));
}

[[noreturn]] void wait_without_a_poll() {
  const Device device = must(open("cpu?inline"));
  Queue queue = must(device.create_queue()), other = must(device.create_queue());
  say(held_behind_a_callback(queue, other).wait(1ms));
}

[[noreturn]] void wait_after_a_poll() {
  const Device device = must(open("cpu?inline"));
  Queue queue = must(device.create_queue()), other = must(device.create_queue());
  const Point held = held_behind_a_callback(queue, other);
  must(device.poll());
  say(held.wait(20s));
}

[[noreturn]] void wait_for_nobody() {
  const Device device = must(open("cpu?inline"));
  const Point never = must(Signal::create()).at(1);
  say(wait_all(std::span(&never, 1), 1ms));
}

TEST(DrivenWait, ThatNeedsAPollSaysSo) {
  EXPECT_EXIT(wait_without_a_poll(), testing::ExitedWithCode(0),
              R"(leaving callbacks \(1\) that are ready to `Device::poll\(\)`)");
}

TEST(DrivenWait, EndsAfterAPoll) { EXPECT_EXIT(wait_after_a_poll(), testing::ExitedWithCode(0), "^reached"); }

TEST(DrivenWait, ThatNeedsNoPollDoesNot) {
  EXPECT_EXIT(wait_for_nobody(), testing::ExitedWithCode(0), testing::Not(testing::HasSubstr("poll")));
}

}  // namespace
}  // namespace pintle
