// The timelines with real threads, locks and clocks: what ThreadSanitizer looks at.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include "core/time/timeline.h"
#include "core/time/worklist.h"
#include "kit/host_timeline.h"

namespace pintle {
namespace {

constexpr std::uint64_t last_value = 40;
constexpr int rounds = 60;

// Far beyond any run: a lost wake-up becomes a failed expectation instead of a hang.
Deadline guard() { return Clock::now() + std::chrono::seconds(100); }

core::PointStatus wait(core::Timeline& timeline, std::uint64_t value, Deadline deadline) {
  core::Parker parker;
  core::ParkedWaiter waiter(parker);
  const core::PointStatus status = timeline.add(waiter, value);
  if (status != core::PointStatus::pending) return status;
  if (!parker.park(deadline) && timeline.remove(waiter)) return core::PointStatus::pending;
  return timeline.status(value);
}

// How far it is raised where the rest fails.
constexpr std::uint64_t half = last_value / 2;

void raise_in_steps(core::Timeline& timeline, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t value = first; value <= last; ++value) {
    core::Worklist worklist;
    timeline.raise(value, worklist);
  }
}

void wait_for_each(core::Timeline& timeline, bool fails) {
  for (std::uint64_t value = 1; value <= last_value; ++value) {
    const core::PointStatus status = wait(timeline, value, guard());
    EXPECT_NE(status, core::PointStatus::pending) << value;
    EXPECT_TRUE(fails || status == core::PointStatus::reached) << value;
    EXPECT_TRUE(!fails || value <= half || status == core::PointStatus::failed) << value;
  }
}

// Links itself and leaves at once, again and again, until there is nothing left to wait for.
void come_and_go(core::Timeline& timeline) {
  std::uint64_t before = 0;
  while (wait(timeline, last_value, Deadline{}) == core::PointStatus::pending) {
    const std::uint64_t value = timeline.value();
    EXPECT_GE(value, before);
    before = value;
    std::this_thread::yield();
  }
}

// Threads that begin together.
class Crowd {
 public:
  explicit Crowd(std::ptrdiff_t size) : all_here_(size) {}

  template <class Body>
  void add(Body body) {
    threads_.emplace_back([this, body] {
      all_here_.arrive_and_wait();
      body();
    });
  }

 private:
  std::latch all_here_;
  std::vector<std::jthread> threads_;
};

void fail(core::Timeline& timeline, std::optional<std::uint64_t> from) {
  core::Worklist worklist;
  timeline.fail(Error(Errc::device_lost, "The device is gone."), worklist, from);
}

void core_round(bool fails) {
  core::Timeline timeline(0);
  Crowd crowd(fails ? 10 : 8);
  for (int i = 0; i < 3; ++i) crowd.add([&] { wait_for_each(timeline, fails); });
  for (int i = 0; i < 2; ++i) crowd.add([&] { come_and_go(timeline); });
  for (const std::uint64_t first : {1U, 2U, 3U}) {
    crowd.add([&, first] { raise_in_steps(timeline, first, fails ? half : last_value); });
  }
  if (!fails) return;
  crowd.add([&] { fail(timeline, half + 1); });
  crowd.add([&] { fail(timeline, std::nullopt); });
}

TEST(TimelineConcurrency, setters_against_waiters) {
  for (int i = 0; i < rounds; ++i) core_round(false);
}

TEST(TimelineConcurrency, failures_against_setters_and_waiters) {
  for (int i = 0; i < rounds; ++i) core_round(true);
}

struct Tally {
  std::atomic<std::uint64_t> calls{0};

  [[nodiscard]] backend::Notification notification() {
    return {[](void* state) { static_cast<Tally*>(state)->calls.fetch_add(1); }, this};
  }
};

void host_wait_for_each(kit::HostTimeline& timeline, bool may_fail) {
  for (std::uint64_t serial = 1; serial <= last_value; ++serial) {
    const auto outcome = timeline.wait(serial, guard());
    const bool is_lost = may_fail && !outcome && outcome.error().code() == Errc::device_lost;
    EXPECT_TRUE(outcome.has_value() || is_lost) << serial;
  }
}

void host_come_and_go(kit::HostTimeline& timeline) {
  for (;;) {
    const auto outcome = timeline.wait(last_value, Deadline{});
    if (outcome.has_value() || outcome.error().code() != Errc::timeout) return;
    std::this_thread::yield();
  }
}

void host_ask_for_each(kit::HostTimeline& timeline, Tally& tally) {
  for (std::uint64_t serial = last_value; serial > 0; --serial) {
    EXPECT_TRUE(timeline.notify(serial, tally.notification()).has_value());
  }
}

void host_round(bool fails) {
  kit::HostTimeline timeline(0);
  Tally tally;
  {
    Crowd crowd(fails ? 7 : 6);
    for (int i = 0; i < 2; ++i) crowd.add([&] { host_wait_for_each(timeline, fails); });
    for (int i = 0; i < 2; ++i) crowd.add([&] { host_ask_for_each(timeline, tally); });
    crowd.add([&] { host_come_and_go(timeline); });
    crowd.add([&] {
      for (std::uint64_t serial = 1; serial <= (fails ? half : last_value); ++serial) timeline.advance(serial);
    });
    if (fails) crowd.add([&] { timeline.fail(Error(Errc::device_lost, "The device is gone.")); });
  }
  EXPECT_EQ(tally.calls.load(), 2 * last_value);
}

TEST(HostTimelineConcurrency, advancing_against_waiters_and_notifications) {
  for (int i = 0; i < rounds; ++i) host_round(false);
}

TEST(HostTimelineConcurrency, failures_against_waiters_and_notifications) {
  for (int i = 0; i < rounds; ++i) host_round(true);
}

}  // namespace
}  // namespace pintle
