#include "kit/one_driver.h"

#include <gtest/gtest.h>

#include <atomic>

namespace pintle::kit {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto never = [] { return false; };

TEST(OneDriver, RunsWhatItIsGiven) {
  OneDriver driver;
  int ran = 0;
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(driver.drive("it", Clock::now(), never, [&] { ++ran; }));
  EXPECT_EQ(ran, 2);
}

TEST(OneDriver, AWaitInsideIsRefused) {
  OneDriver driver;
  Result<void> inner;
  EXPECT_TRUE(driver.drive("it", Clock::now(), never, [&] {
    inner = driver.drive("it", Clock::now() + seconds(60), never, [] { ADD_FAILURE(); });
  }));
  EXPECT_EQ(inner.error().code(), Errc::invalid_argument);
  EXPECT_TRUE(inner.error().text().contains("[it]"));
}

TEST(OneDriver, AnotherThreadWaitsForItsTurnItsEndOrItsDeadline) {
  OneDriver driver;
  std::atomic<bool> is_inside{false}, may_end{false};
  std::thread first([&] {
    EXPECT_TRUE(driver.drive("it", Clock::now(), never, [&] {
      is_inside = true;
      is_inside.notify_all();
      may_end.wait(false);
    }));
  });
  is_inside.wait(false);
  EXPECT_TRUE(driver.drive("it", Clock::now() + milliseconds(5), never, [] { ADD_FAILURE() << "it has no turn"; }));
  EXPECT_TRUE(
      driver.drive("it", Clock::now() + seconds(60), [] { return true; }, [] { ADD_FAILURE() << "it is over"; }));
  bool ran = false;
  may_end = true;
  may_end.notify_all();
  EXPECT_TRUE(driver.drive("it", Clock::now() + seconds(60), never, [&] { ran = true; }));
  EXPECT_TRUE(ran);
  first.join();
}

}  // namespace
}  // namespace pintle::kit
