// What comes without the host, and what waits for itself.
#include "core/time/coming.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/time/observable.h"
#include "core/time/signal_state.h"
#include "pintle/pintle.h"

namespace pintle {
namespace {

bool come_by_themselves(const std::vector<Point>& points) { return core::which_come(std::span(&points, 1)).front(); }

struct Coming : testing::Test {
  Device device = must(open("cpu"));
  Queue first = must(device.create_queue()), second = must(device.create_queue());
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

/// A queue with one held submission, which counts how often it is asked.
struct Link final : core::Observable {
  Point wait;
  std::size_t asked = 0;
  std::string name = "[Link]";

  bool add_waits(std::uint64_t, std::vector<Point>& points) override {
    ++asked;
    points.push_back(wait);
    return true;
  }
  Result<void> observe(core::Worklist&) override { return {}; }
  Result<void> wait_native(std::uint64_t, Deadline) override { return {}; }
  [[nodiscard]] bool is_native(std::uint64_t) const noexcept override { return false; }
  void watch(std::uint64_t) noexcept override {}
  Result<void> notify(std::uint64_t, backend::Notification) override { return {}; }
  void looked_after() noexcept override {}
  void suspect() noexcept override {}
  [[nodiscard]] bool is_driven() const noexcept override { return false; }
  void drive() override {}
  void report(const Error&) noexcept override {}
  [[nodiscard]] const void* device() const noexcept override { return this; }
  std::string describe_oldest() override { return name; }
  [[nodiscard]] const std::string& text() const noexcept override { return name; }
};

/// Submissions that wait for each other in a row; each promises the signal of the next.
struct Chain {
  explicit Chain(std::size_t count) : promises(count) {
    signals.push_back(std::make_shared<core::SignalState>(0, "first"));
    for (std::size_t i = 0; i < count; ++i) {
      links.push_back(std::make_shared<Link>());
      links.back()->wait = core::SignalState::point(signals[i], 1);
      signals.push_back(std::make_shared<core::SignalState>(0, ""));
      promises[i].value = 1;
      promises[i].point = {links.back(), 1};
      static_cast<void>(signals.back()->promise(promises[i]));
      waits.push_back({links.back()->wait});
    }
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  ~Chain() {
    for (std::size_t i = 0; i < promises.size(); ++i) signals[i + 1]->forget(promises[i]);
  }
  [[nodiscard]] std::size_t asked() const {
    std::size_t all = 0;
    for (const auto& link : links) all += link->asked;
    return all;
  }

  std::vector<std::shared_ptr<core::SignalState>> signals;
  std::vector<std::shared_ptr<Link>> links;
  std::deque<core::Promise> promises;
  std::vector<std::vector<Point>> waits;
};

// A search for each link, or one that goes through all of them again and again, takes minutes.
TEST(ComingInAChain, AsksEachLinkOnce) {
  constexpr std::size_t count = 100'000;
  Chain chain(count);
  EXPECT_EQ(std::ranges::count(core::which_come(chain.waits), true), 0);
  EXPECT_EQ(chain.asked(), count - 1);  // nobody asks for the last point
  must(chain.signals.front()->set(1));
  for (int order = 0; order < 2; ++order) {
    EXPECT_EQ(std::ranges::count(core::which_come(chain.waits), false), 0);
    std::ranges::reverse(chain.waits);
  }
  EXPECT_EQ(chain.asked(), 3 * (count - 1));
}

TEST(ComingInAChain, EachListHasItsOwnAnswer) {
  Chain first(3), second(3);
  must(second.signals.front()->set(1));
  const std::vector<std::vector<Point>> lists{
      first.waits[2], {}, second.waits[2], {second.waits[1][0], first.waits[0][0]}};
  EXPECT_EQ(core::which_come(lists), (std::vector<bool>{false, true, true, false}));
}

}  // namespace
}  // namespace pintle
