// The host's clock as that of a device.
#include "kit/host_clock.h"

#include <gtest/gtest.h>

namespace pintle::test {
namespace {

TEST(HostClock, TicksAreNanosecondsAndThePairIsOneMoment) {
  EXPECT_EQ(kit::host_ticks(Deadline(std::chrono::microseconds(5))), 5000u);
  const backend::ClockPair pair = kit::host_clock_pair();
  EXPECT_EQ(pair.device_ticks, kit::host_ticks(pair.host));
  EXPECT_EQ(pair.error, Duration::zero());
}

}  // namespace
}  // namespace pintle::test
