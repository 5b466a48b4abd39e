#include "kit/host_timeline.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "pintle/must.h"

namespace pintle::kit {
namespace {

constexpr std::uint64_t last_serial = ~std::uint64_t{0} - 1;

Deadline far() { return Clock::now() + std::chrono::seconds(60); }
Deadline past() { return Clock::now() - std::chrono::seconds(1); }

/// Counts how often it is told.
struct Told {
  std::atomic<int> times{0};
  backend::Notification notification() {
    return {[](void* state) { ++static_cast<Told*>(state)->times; }, this};
  }
};

TEST(HostTimeline, StartsAtTheFirstSerial) {
  HostTimeline timeline(41);
  EXPECT_EQ(must(timeline.reached()), 41u);
  EXPECT_TRUE(timeline.is_reached(41));
  EXPECT_FALSE(timeline.is_reached(42));
}

TEST(HostTimeline, NeverGoesBack) {
  HostTimeline timeline(0);
  timeline.advance(7);
  timeline.advance(3);
  EXPECT_EQ(must(timeline.reached()), 7u);
}

TEST(HostTimeline, WaitForAReachedSerialReturnsAtOnceEvenWithAPastDeadline) {
  HostTimeline timeline(5);
  EXPECT_TRUE(timeline.wait(5, past()).has_value());
}

TEST(HostTimeline, WaitPastItsDeadlineNamesBothValues) {
  HostTimeline timeline(5);
  const auto waited = timeline.wait(9, past());
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code(), Errc::timeout);
  EXPECT_EQ(waited.error().message(), "Serial (9) is not reached at the deadline; the timeline is at (5).");
}

TEST(HostTimeline, FailureReachesEveryWaitWithTheFirstCause) {
  HostTimeline timeline(5);
  const Error cause(Errc::device_lost, "Device is gone.");
  timeline.fail(cause);
  timeline.fail(Error(Errc::internal, "Later."));
  const auto waited = timeline.wait(6, Deadline::max());
  ASSERT_FALSE(waited);
  EXPECT_TRUE(waited.error().same_origin(cause));
  ASSERT_FALSE(timeline.reached());
  EXPECT_TRUE(timeline.reached().error().same_origin(cause));
}

TEST(HostTimeline, WhatWasReachedBeforeAFailureStaysReached) {
  HostTimeline timeline(0);
  timeline.advance(3);
  timeline.fail(Error(Errc::device_lost, "Device is gone."));
  EXPECT_TRUE(timeline.wait(3, far()).has_value());
}

TEST(HostTimeline, NotifiesAtOnceWhenSettled) {
  HostTimeline timeline(4);
  Told told;
  ASSERT_TRUE(timeline.notify(4, told.notification()));
  EXPECT_EQ(told.times, 1);
  timeline.fail(Error(Errc::device_lost, "Device is gone."));
  ASSERT_TRUE(timeline.notify(9, told.notification()));
  EXPECT_EQ(told.times, 2);
}

TEST(HostTimeline, NotifiesOnceWhenTheSerialIsPassed) {
  HostTimeline timeline(0);
  Told told;
  ASSERT_TRUE(timeline.notify(3, told.notification()));
  timeline.advance(2);
  EXPECT_EQ(told.times, 0);
  timeline.advance(5);
  timeline.advance(6);
  EXPECT_EQ(told.times, 1);
}

TEST(HostTimeline, NotifiesInTheOrderOfSerials) {
  HostTimeline timeline(0);
  static std::vector<int> order;
  order.clear();
  int numbers[] = {1, 2, 3, 4};
  const auto note = [&](int index) {
    return backend::Notification{[](void* state) { order.push_back(*static_cast<int*>(state)); }, &numbers[index]};
  };
  ASSERT_TRUE(timeline.notify(30, note(2)));
  ASSERT_TRUE(timeline.notify(10, note(0)));
  ASSERT_TRUE(timeline.notify(40, note(3)));
  ASSERT_TRUE(timeline.notify(20, note(1)));
  timeline.advance(20);
  EXPECT_EQ(order, (std::vector{1, 2}));
  timeline.advance(40);
  EXPECT_EQ(order, (std::vector{1, 2, 3, 4}));
}

TEST(HostTimeline, FailureNotifies) {
  HostTimeline timeline(0);
  Told told;
  ASSERT_TRUE(timeline.notify(3, told.notification()));
  timeline.fail(Error(Errc::device_lost, "Device is gone."));
  EXPECT_EQ(told.times, 1);
}

TEST(HostTimeline, NotificationsThatNeverCameAreFreed) {
  HostTimeline timeline(0);
  Told told;
  ASSERT_TRUE(timeline.notify(3, told.notification()));
  EXPECT_EQ(told.times, 0);  // the leak checker watches the rest
}

TEST(HostTimeline, AWatchCanBeUsedAgainFromItsOwnCall) {
  struct Again {
    HostTimeline* timeline = nullptr;
    HostTimeline::Watch watch{};
    int times = 0;
    bool registered = true;
  } again;  // outlives the timeline, which ends with the fourth watch registered
  HostTimeline timeline(0);
  again.timeline = &timeline;
  again.watch.serial = 1;
  again.watch.notification = {[](void* state) {
                                auto& self = *static_cast<Again*>(state);
                                ++self.times;
                                ++self.watch.serial;
                                self.registered = self.timeline->try_watch(self.watch);
                              },
                              &again};
  ASSERT_TRUE(timeline.try_watch(again.watch));
  timeline.advance(1);
  timeline.advance(2);
  timeline.advance(3);
  EXPECT_EQ(again.times, 3);
  EXPECT_TRUE(again.registered);
}

TEST(HostTimeline, CountsNearTheEnd) {
  HostTimeline timeline(last_serial - 3);
  Told told;
  ASSERT_TRUE(timeline.notify(last_serial, told.notification()));
  EXPECT_FALSE(timeline.wait(last_serial, past()));
  timeline.advance(last_serial - 1);
  EXPECT_EQ(told.times, 0);
  timeline.advance(last_serial);
  EXPECT_EQ(told.times, 1);
  EXPECT_TRUE(timeline.wait(last_serial, past()).has_value());
}

TEST(HostTimelineConcurrency, NoWakeUpIsLost) {
  constexpr std::uint64_t rounds = 20000;
  HostTimeline ping(0), pong(0);
  std::thread other([&] {
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      must(ping.wait(round, Deadline::max()));
      pong.advance(round);
    }
  });
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    ping.advance(round);
    must(pong.wait(round, Deadline::max()));
  }
  other.join();
  EXPECT_EQ(must(pong.reached()), rounds);
}

TEST(HostTimelineConcurrency, ManyWaitersForManySerials) {
  constexpr std::uint64_t rounds = 2000;
  HostTimeline timeline(0);
  std::atomic<std::uint64_t> passed{0};
  std::vector<std::thread> waiters;
  for (std::uint64_t stride = 1; stride <= 4; ++stride) {
    waiters.emplace_back([&, stride] {
      for (std::uint64_t serial = stride; serial <= rounds; serial += stride) {
        while (!timeline.wait(serial, Clock::now() + std::chrono::microseconds(50))) {
        }
        EXPECT_TRUE(timeline.is_reached(serial));
        ++passed;
      }
    });
  }
  for (std::uint64_t serial = 1; serial <= rounds; ++serial) timeline.advance(serial);
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(passed, rounds + rounds / 2 + rounds / 3 + rounds / 4);
}

TEST(HostTimelineConcurrency, EveryNotificationIsToldOnce) {
  constexpr std::uint64_t rounds = 5000;
  HostTimeline timeline(0);
  std::vector<Told> told(rounds);
  std::thread registrar([&] {
    for (std::uint64_t serial = 1; serial <= rounds; ++serial) {
      must(timeline.notify(serial, told[serial - 1].notification()));
    }
  });
  for (std::uint64_t serial = 1; serial <= rounds; ++serial) timeline.advance(serial);
  registrar.join();
  for (const Told& each : told) ASSERT_EQ(each.times, 1);
}

TEST(HostTimelineConcurrency, FailureWakesSleepers) {
  HostTimeline timeline(0);
  std::atomic<int> failed{0};
  std::vector<std::thread> waiters;
  for (int index = 0; index < 4; ++index) {
    waiters.emplace_back([&] {
      if (!timeline.wait(1, Deadline::max())) ++failed;
    });
  }
  timeline.fail(Error(Errc::device_lost, "Device is gone."));
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(failed, 4);
}

}  // namespace
}  // namespace pintle::kit
