#include "host/idle_spin.h"

#include <gtest/gtest.h>

namespace pintle::host {
namespace {

using namespace std::chrono_literals;

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
  IdleSpin idle(500ms);
  EXPECT_TRUE(idle.may_go_on());
  std::this_thread::sleep_for(501ms);
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
