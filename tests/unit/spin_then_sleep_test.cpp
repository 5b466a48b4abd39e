#include "host/spin_then_sleep.h"

#include <gtest/gtest.h>

namespace pintle::host {
namespace {

using namespace std::chrono_literals;

/// A clock that stands until the test turns it.
struct TurnedClock {
  static Deadline now() noexcept { return moment; }
  inline static Deadline moment{1h};
};
using Wait = BasicSpinThenSleep<TurnedClock>;

/// Waits for work that takes `work` and is seen at each look, which takes `look`; counts looks and sleeps.
struct Trial {
  Result<void> run(Wait& wait, Duration work, Deadline deadline = Deadline::max()) {
    const Deadline end = TurnedClock::moment + work;
    const auto is_over = [&]() -> Result<bool> {
      ++looks;
      TurnedClock::moment += look;
      return TurnedClock::moment >= end;
    };
    return wait.wait(deadline, is_over, [&]() -> Result<void> {
      ++sleeps;
      TurnedClock::moment = std::max(TurnedClock::moment, std::min(end, deadline));
      return end <= deadline ? Result<void>() : Result<void>(Error(Errc::timeout, "Late."));
    });
  }

  Duration look = 10us;
  int looks = 0, sleeps = 0;
};

TEST(SpinThenSleep, ShortWorkIsSeenWithoutSleep) {
  Wait wait;
  Trial trial;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(trial.run(wait, 40us));
  EXPECT_EQ(trial.looks, 400);
  EXPECT_EQ(trial.sleeps, 0);
}

TEST(SpinThenSleep, LongWorkIsOneSleep) {
  Wait wait;
  Trial trial;
  EXPECT_TRUE(trial.run(wait, 1ms));
  EXPECT_EQ(trial.looks, 10);
  EXPECT_EQ(trial.sleeps, 1);
}

TEST(SpinThenSleep, EachLongWaitHalvesTheLooking) {
  Wait wait;
  Trial trial;
  for (const Duration look : {100'000ns, 50'000ns, 25'000ns, 12'500ns, 6'250ns, 3'125ns, 0ns, 0ns}) {
    EXPECT_EQ(wait.look(), look);
    EXPECT_TRUE(trial.run(wait, 1ms));
  }
  EXPECT_EQ(trial.sleeps, 8);
  trial.looks = 0;
  EXPECT_TRUE(trial.run(wait, 1ms));
  EXPECT_EQ(trial.looks, 0);
}

TEST(SpinThenSleep, ShortWaitsBringTheLookingBack) {
  Wait wait;
  Trial trial;
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(trial.run(wait, 1ms));
  EXPECT_EQ(wait.look(), 0ns);
  for (const Duration look : {2us, 4us, 8us, 16us, 32us, 64us, 100us, 100us}) {
    EXPECT_TRUE(trial.run(wait, 40us));
    EXPECT_EQ(wait.look(), look);
  }
}

TEST(SpinThenSleep, WithALimitOfNothingNobodyEverLooks) {
  Wait wait(0ns);
  Trial trial;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(trial.run(wait, 1us));
  EXPECT_EQ(trial.looks, 0);
  EXPECT_EQ(trial.sleeps, 10);
}

TEST(SpinThenSleep, ADeadlineEndsTheLookingAndTeachesNothing) {
  Wait wait;
  Trial trial;
  EXPECT_EQ(trial.run(wait, 1ms, TurnedClock::moment + 30us).error().code(), Errc::timeout);
  EXPECT_EQ(trial.looks, 3);
  EXPECT_EQ(trial.run(wait, 1ms, TurnedClock::moment).error().code(), Errc::timeout);
  EXPECT_EQ(trial.looks, 3);
  EXPECT_EQ(trial.sleeps, 2);
  EXPECT_EQ(wait.look(), Wait::most);
}

TEST(SpinThenSleep, AnErrorOfALookEndsTheWait) {
  Wait wait;
  int sleeps = 0;
  const auto ended = wait.wait(
      Deadline::max(), []() -> Result<bool> { return Error(Errc::device_lost, "Lost."); },
      [&]() -> Result<void> { return ++sleeps, Result<void>(); });
  EXPECT_EQ(ended.error().code(), Errc::device_lost);
  EXPECT_EQ(sleeps, 0);
}

}  // namespace
}  // namespace pintle::host
