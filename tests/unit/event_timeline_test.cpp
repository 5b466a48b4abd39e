// A queue's timeline over a vendor's events, with events that the test completes.
#include "kit/event_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "pintle/must.h"

namespace pintle::kit {
namespace {

/// An event as a vendor has it: told at most once to each caller that asked.
class FakeEvent {
 public:
  void finish(std::optional<Error> error = std::nullopt) {
    std::vector<EventTold> told;
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
      error_ = std::move(error);
      told.swap(told_);
    }
    for (const EventTold& each : told) each.call(each.state, error_ ? &*error_ : nullptr);
  }
  Result<bool> is_done() {
    const std::lock_guard lock(mutex_);
    ++asked;
    if (error_) return *error_;
    return is_done_;
  }
  void tell(EventTold told) {
    {
      const std::lock_guard lock(mutex_);
      if (!is_done_) return told_.push_back(told);
    }
    told.call(told.state, error_ ? &*error_ : nullptr);
  }
  /// As `tell`, by a vendor that forgets it until the test ends.
  void forget(EventTold told) {
    const std::lock_guard lock(mutex_);
    forgotten_.push_back(told);
  }
  void remember() {
    for (const EventTold& each : std::exchange(forgotten_, {})) each.call(each.state, nullptr);
  }
  std::size_t listeners() {
    const std::lock_guard lock(mutex_);
    return told_.size();
  }

  std::atomic<int> asked{0};

 private:
  std::mutex mutex_;
  bool is_done_ = false;
  std::optional<Error> error_;
  std::vector<EventTold> told_;
  std::vector<EventTold> forgotten_;
};

enum class Tells : std::uint8_t { yes, no, never_comes };

struct FakeVendor {
  Tells tells = Tells::yes;
  std::atomic<int> losses{0};
  std::optional<Error> first_cause;
};

struct FakePolicy {
  using Event = std::shared_ptr<FakeEvent>;
  FakeVendor* vendor;

  Result<bool> is_done(const Event& event) { return event->is_done(); }
  bool tell(const Event& event, EventTold told) {
    if (vendor->tells == Tells::yes) event->tell(told);
    if (vendor->tells == Tells::never_comes) event->forget(told);
    return vendor->tells != Tells::no;
  }
  Error lose(const Error& error) {
    ++vendor->losses;
    return vendor->first_cause.value_or(error);
  }
};

using Timeline = EventTimeline<FakePolicy>;
constexpr auto soon = std::chrono::seconds(60);
constexpr auto moment = std::chrono::milliseconds(1);

Deadline in(Duration duration) { return Clock::now() + duration; }

class EventTimelineTest : public testing::Test {
 protected:
  /// A callback that never comes would hold the timeline for ever.
  void TearDown() override {
    for (const auto& event : events) {
      event->finish();
      event->remember();
    }
  }

  /// Adds work that is not done.
  FakeEvent& add(std::optional<std::uint64_t> serial) {
    timeline.reserve();
    events.push_back(std::make_shared<FakeEvent>());
    timeline.add(events.back(), serial);
    return *events.back();
  }
  void expect_reached(std::uint64_t serial) { EXPECT_EQ(must(timeline.reached()), serial); }

  static backend::Notification counting(std::atomic<int>& count) {
    return {[](void* state) { ++*static_cast<std::atomic<int>*>(state); }, &count};
  }

  FakeVendor vendor;
  std::deque<std::shared_ptr<FakeEvent>> events;
  Timeline timeline{FakePolicy{&vendor}, 100};
};

Error broken() { return Error(Errc::device_lost, "It broke.").with_vendor({"libfake", -5, "FAKE_BROKEN"}); }

TEST_F(EventTimelineTest, BeginsWhereItIsTold) {
  expect_reached(100);
  EXPECT_TRUE(timeline.wait(100, in(moment)));
  EXPECT_TRUE(timeline.wait_all(in(moment)));
}

TEST_F(EventTimelineTest, RisesInOrderAsEventsEnd) {
  FakeEvent& first = add(101);
  FakeEvent& second = add(102);
  expect_reached(100);
  first.finish();
  expect_reached(101);
  second.finish();
  expect_reached(102);
}

TEST_F(EventTimelineTest, AnEventBehindOneThatRunsDoesNotCount) {
  FakeEvent& first = add(101);
  add(102).finish();
  expect_reached(100);
  first.finish();
  expect_reached(102);
}

TEST_F(EventTimelineTest, LetsGoOfEventsThatHaveEnded) {
  add(101).finish();
  const std::weak_ptr<FakeEvent> watch = events.back();
  events.clear();
  EXPECT_FALSE(watch.expired());
  expect_reached(101);
  EXPECT_TRUE(watch.expired());
}

TEST_F(EventTimelineTest, PiecesInTheMiddleReachNothing) {
  FakeEvent& first = add(std::nullopt);
  FakeEvent& second = add(101);
  first.finish();
  expect_reached(100);
  second.finish();
  expect_reached(101);
}

TEST_F(EventTimelineTest, WaitAllCoversPiecesInTheMiddle) {
  FakeEvent& piece = add(std::nullopt);
  EXPECT_EQ(timeline.wait_all(in(moment)).error().code(), Errc::timeout);
  piece.finish();
  EXPECT_TRUE(timeline.wait_all(in(soon)));
}

TEST_F(EventTimelineTest, TimesOutAtTheDeadline) {
  add(101);
  EXPECT_EQ(timeline.wait(101, in(moment)).error().code(), Errc::timeout);
  EXPECT_EQ(timeline.wait(101, Clock::now() - moment).error().code(), Errc::timeout);
  EXPECT_EQ(timeline.wait(101, Deadline()).error().code(), Errc::timeout);
}

TEST_F(EventTimelineTest, LooksOnceThoughTheDeadlineHasPassed) {
  add(101).finish();
  EXPECT_TRUE(timeline.wait(101, Deadline()));
}

TEST_F(EventTimelineTest, IsToldOnceForEachEvent) {
  FakeEvent& event = add(101);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(timeline.wait(101, in(moment)));
  EXPECT_EQ(event.listeners(), 1u);
}

TEST_F(EventTimelineTest, NobodyIsToldWhereNobodyWaits) {
  FakeEvent& first = add(101);
  FakeEvent& second = add(102);
  EXPECT_FALSE(timeline.wait(101, in(moment)));
  EXPECT_EQ(first.listeners(), 1u);
  EXPECT_EQ(second.listeners(), 0u);
}

TEST_F(EventTimelineTest, NotifiesOnceAndAtOnceWhenReached) {
  std::atomic<int> count{0};
  FakeEvent& event = add(101);
  must(timeline.notify(101, counting(count)));
  EXPECT_EQ(count, 0);
  event.finish();
  EXPECT_EQ(count, 1);
  must(timeline.notify(101, counting(count)));
  EXPECT_EQ(count, 2);
  expect_reached(101);
}

TEST_F(EventTimelineTest, NotifiesOfWhatIsAddedLater) {
  std::atomic<int> count{0};
  must(timeline.notify(102, counting(count)));
  add(101).finish();
  EXPECT_EQ(count, 0);
  add(102).finish();
  EXPECT_EQ(count, 1);
}

TEST_F(EventTimelineTest, GivesEventsOnlyOfWhatIsNotReached) {
  FakeEvent& first = add(101);
  add(std::nullopt);
  add(102);
  EXPECT_EQ(timeline.event_of(100), nullptr);
  EXPECT_EQ(timeline.event_of(101).get(), &first);
  EXPECT_EQ(timeline.event_of(102), events.back());
  first.finish();
  expect_reached(101);
  EXPECT_EQ(timeline.event_of(101), nullptr);
  EXPECT_EQ(timeline.event_of(100), nullptr);
}

TEST_F(EventTimelineTest, RoomGrowsWithoutLosingTheOrder) {
  for (std::uint64_t serial = 101; serial <= 110; ++serial) add(serial).finish();
  expect_reached(110);
  for (std::uint64_t serial = 111; serial <= 300; ++serial) add(serial);
  for (std::size_t at = 10; at < 150; ++at) events[at]->finish();
  expect_reached(250);
  for (std::size_t at = 150; at < events.size(); ++at) events[at]->finish();
  expect_reached(300);
}

TEST_F(EventTimelineTest, AFailedEventFailsWhoeverWaits) {
  std::atomic<int> count{0};
  add(101).finish();
  FakeEvent& second = add(102);
  must(timeline.notify(102, counting(count)));
  second.finish(broken());
  EXPECT_EQ(count, 1);
  const auto waited = timeline.wait(102, in(soon));
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code(), Errc::device_lost);
  EXPECT_EQ(waited.error().vendor()->symbol, "FAKE_BROKEN");
  EXPECT_EQ(timeline.reached().error().code(), Errc::device_lost);
  EXPECT_EQ(timeline.wait_all(in(soon)).error().code(), Errc::device_lost);
  EXPECT_EQ(vendor.losses, 1);
}

TEST_F(EventTimelineTest, AFailureIsFoundByLookingToo) {
  add(101).finish(broken());
  EXPECT_EQ(timeline.reached().error().code(), Errc::device_lost);
  EXPECT_EQ(vendor.losses, 1);
  EXPECT_FALSE(timeline.reached());
  EXPECT_EQ(vendor.losses, 1);
}

TEST_F(EventTimelineTest, TheFirstCauseOfTheDeviceIsWhatIsTold) {
  vendor.first_cause = Error(Errc::device_lost, "Another queue broke before.");
  add(101).finish(broken());
  EXPECT_TRUE(timeline.reached().error().same_origin(*vendor.first_cause));
}

TEST_F(EventTimelineTest, WhatWasReachedBeforeAFailureStaysSo) {
  add(101).finish();
  expect_reached(101);
  timeline.fail(broken());
  EXPECT_TRUE(timeline.wait(101, in(moment)));
  EXPECT_FALSE(timeline.wait(102, in(soon)));
}

TEST_F(EventTimelineTest, AVendorThatCannotTellIsAskedAgainAndAgain) {
  vendor.tells = Tells::no;
  FakeEvent& event = add(101);
  EXPECT_FALSE(timeline.wait(101, in(std::chrono::milliseconds(5))));
  const int asked = event.asked;
  EXPECT_GT(asked, 1);
  std::thread other([&] { event.finish(); });
  EXPECT_TRUE(timeline.wait(101, in(soon)));
  other.join();
}

struct PatientPolicy : FakePolicy {
  static constexpr Duration awake = soon;
  std::atomic<int>* asked_to_tell;

  bool tell(const Event& event, EventTold told) {
    ++*asked_to_tell;
    return FakePolicy::tell(event, told);
  }
};

/// Nobody has to tell a wait that still looks.
TEST_F(EventTimelineTest, LooksAsLongAsThePolicySays) {
  std::atomic<int> asked_to_tell{0};
  EventTimeline<PatientPolicy> patient(PatientPolicy{{&vendor}, &asked_to_tell}, 0);
  patient.reserve();
  events.push_back(std::make_shared<FakeEvent>());
  patient.add(events.back(), 1);
  std::thread other([&] {
    std::this_thread::sleep_for(5 * moment);
    events.back()->finish();
  });
  EXPECT_TRUE(patient.wait(1, in(soon)));
  other.join();
  EXPECT_EQ(asked_to_tell, 0);
}

TEST_F(EventTimelineTest, AVendorThatForgetsToTellIsNoHang) {
  vendor.tells = Tells::never_comes;
  FakeEvent& event = add(101);
  std::thread other([&] {
    while (event.asked == 0) std::this_thread::yield();
    event.finish();
  });
  EXPECT_TRUE(timeline.wait(101, in(soon)));
  other.join();
}

TEST_F(EventTimelineTest, ACallbackMayComeWhenTheTimelineHasGone) {
  const auto event = std::make_shared<FakeEvent>();
  {
    Timeline brief(FakePolicy{&vendor}, 0);
    brief.reserve();
    brief.add(event, 1);
    EXPECT_FALSE(brief.wait(1, in(moment)));
    EXPECT_EQ(event->listeners(), 1u);
  }
  event->finish();
  EXPECT_EQ(event->listeners(), 0u);
}

TEST_F(EventTimelineTest, CountsToTheEndOf64Bits) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  Timeline high(FakePolicy{&vendor}, most - 2);
  EXPECT_EQ(must(high.reached()), most - 2);
  for (const std::uint64_t serial : {most - 1, most}) {
    high.reserve();
    const auto event = std::make_shared<FakeEvent>();
    high.add(event, serial);
    EXPECT_FALSE(high.wait(serial, in(moment)));
    event->finish();
    EXPECT_TRUE(high.wait(serial, in(soon)));
  }
}

/// A thread that waits is woken by the vendor's thread, for all serials and whatever the order of things.
TEST(EventTimelineConcurrency, NoWakeUpIsLost) {
  FakeVendor vendor;
  Timeline timeline(FakePolicy{&vendor}, 0);
  constexpr std::uint64_t count = 2000;
  std::mutex mutex;
  std::deque<std::shared_ptr<FakeEvent>> started;
  std::thread device([&] {
    for (std::uint64_t done = 0; done < count;) {
      std::shared_ptr<FakeEvent> next;
      {
        const std::lock_guard lock(mutex);
        if (!started.empty()) {
          next = started.front();
          started.pop_front();
        }
      }
      if (next == nullptr) {
        std::this_thread::yield();
        continue;
      }
      next->finish();
      ++done;
    }
  });
  std::atomic<int> told{0};
  std::array<std::thread, 2> waiters;
  for (std::thread& waiter : waiters) {
    waiter = std::thread([&] {
      for (std::uint64_t serial = 1; serial <= count; serial += 3) EXPECT_TRUE(timeline.wait(serial, in(soon)));
    });
  }
  for (std::uint64_t serial = 1; serial <= count; ++serial) {
    const auto event = std::make_shared<FakeEvent>();
    timeline.reserve();
    timeline.add(event, serial);
    must(timeline.notify(serial, {[](void* state) { ++*static_cast<std::atomic<int>*>(state); }, &told}));
    const std::lock_guard lock(mutex);
    started.push_back(event);
  }
  EXPECT_TRUE(timeline.wait(count, in(soon)));
  for (std::thread& waiter : waiters) waiter.join();
  device.join();
  EXPECT_EQ(told, static_cast<int>(count));
}

}  // namespace
}  // namespace pintle::kit
