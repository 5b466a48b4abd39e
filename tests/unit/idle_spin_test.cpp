#include "host/idle_spin.h"

#include <gtest/gtest.h>

namespace pintle::host {
namespace {

using namespace std::chrono_literals;

/// A clock that stands until the test turns it.
struct TurnedClock {
  static Deadline now() noexcept { return moment; }
  inline static Deadline moment{1h};
};

TEST(IdleSpin, IsOverBeforeItBegins) {
  const IdleSpin idle(1h);
  EXPECT_TRUE(idle.is_over());
}

TEST(IdleSpin, ItsTimeBeginsWithTheFirstLook) {
  IdleSpin idle(1h);
  EXPECT_TRUE(idle.may_go_on());
  EXPECT_FALSE(idle.is_over());
}

TEST(IdleSpin, EndsAndBeginsAgain) {
  BasicIdleSpin<TurnedClock> idle(500ms);
  EXPECT_TRUE(idle.may_go_on());
  TurnedClock::moment += 500ms - 1ns;
  EXPECT_TRUE(idle.may_go_on());
  EXPECT_FALSE(idle.is_over());
  TurnedClock::moment += 1ns;
  EXPECT_FALSE(idle.may_go_on());
  EXPECT_TRUE(idle.is_over());
  idle.restart();
  EXPECT_TRUE(idle.may_go_on());
  EXPECT_FALSE(idle.is_over());
}

TEST(IdleSpin, NoTimeIsNoLook) {
  IdleSpin idle(0ns);
  EXPECT_FALSE(idle.may_go_on());
}

TEST(IdleSpin, ADeadlineEndsItToo) {
  IdleSpin idle(1h);
  EXPECT_TRUE(idle.may_go_on(Clock::now() + 1h));
  EXPECT_FALSE(idle.may_go_on(Clock::now() - 1ns));
}

}  // namespace
}  // namespace pintle::host
