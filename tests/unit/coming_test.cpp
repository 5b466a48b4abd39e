// What comes without the host, and what waits for itself.
#include "core/time/coming.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "pintle/pintle.h"

namespace pintle {
namespace {

using core::come_by_themselves;

struct Coming : testing::Test {
  Device device = must(open("cpu"));
  Queue first = must(device.queue()), second = must(device.queue());
  Signal gate = must(Signal::create()), raised = must(Signal::create());

  Point hold(Queue& queue, Point wait, std::vector<Point> signal = {}) {
    return must(queue.submit(CommandList{}, {.after = {std::move(wait)}, .signal = std::move(signal)}));
  }
};

TEST_F(Coming, NothingThatOnlyTheHostRaises) {
  const Point held = hold(first, gate.at(1), {raised.at(1)});
  const Point behind = hold(second, raised.at(1));
  EXPECT_FALSE(come_by_themselves({gate.at(1)}));
  EXPECT_FALSE(come_by_themselves({held}));
  EXPECT_FALSE(come_by_themselves({behind}));
  must(gate.set(1));
  EXPECT_TRUE(come_by_themselves({held, behind, raised.at(1)}));
  must(behind.wait());
}

TEST_F(Coming, NothingThatWaitsForItself) {
  const Point held = hold(first, raised.at(1));
  const Point behind = hold(first, gate.at(0), {raised.at(2)});
  EXPECT_FALSE(come_by_themselves({held}));
  EXPECT_FALSE(come_by_themselves({behind}));
  EXPECT_FALSE(come_by_themselves({raised.at(1)}));
  must(raised.set(2));
  must(behind.wait());
}

// It is enough that one of those who promise comes.
TEST_F(Coming, WhatSomebodyElseBrings) {
  std::atomic<bool> is_open{false};
  const Point held = hold(first, raised.at(1));
  const Point behind = hold(first, gate.at(0), {raised.at(2)});
  const Point slow = must(second.submit(CommandList{}.call([&] {
    while (!is_open) std::this_thread::yield();
  }),
                                        {.signal = {raised.at(1)}}));
  EXPECT_TRUE(come_by_themselves({held, behind, slow}));
  EXPECT_FALSE(come_by_themselves({held, gate.at(1)}));
  is_open = true;
  must(behind.wait());
}

}  // namespace
}  // namespace pintle
