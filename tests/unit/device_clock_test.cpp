// Ticks as drivers tell them, and readings in the host's time.
#include "kit/device_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace pintle::kit {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr Deadline first{10s}, host{11s}, last{12s};

DeviceInfo with_clock() {
  DeviceInfo info;
  info.capabilities = {{Feature::timestamp, Support::native, ""}, {Feature::calibration, Support::native, ""}};
  return info;
}

TEST(DeviceClock, ATickHasALength) {
  DeviceInfo info = with_clock();
  set_tick(info, 52.08, "the clock");
  EXPECT_EQ(info.nanoseconds_per_tick, 52.08);
  EXPECT_EQ(info.capability(Feature::timestamp).support, Support::native);
  EXPECT_EQ(info.capability(Feature::calibration).support, Support::native);
}

TEST(DeviceClock, WithoutALengthThereAreNoTimestamps) {
  for (const double length : {nan, infinity, -infinity, -1.0, 0.0}) {
    DeviceInfo info = with_clock();
    set_tick(info, length, "the clock");
    EXPECT_EQ(info.nanoseconds_per_tick, 1) << length;
    for (const Feature feature : {Feature::timestamp, Feature::calibration}) {
      EXPECT_EQ(info.capability(feature).support, Support::absent) << length;
      EXPECT_THAT(info.capability(feature).detail, HasSubstr(fmt::format("the clock of the driver is ({})", length)));
    }
  }
}

TEST(DeviceClock, AnEarlierReasonStays) {
  DeviceInfo info = with_clock();
  info.capabilities.front() = {Feature::timestamp, Support::absent, "no bits"};
  set_tick(info, 0, "the clock");
  EXPECT_EQ(info.capability(Feature::timestamp).detail, "no bits");
}

TEST(DeviceClock, ReadingsAreTheHostsTime) {
  const DeviceClock clock{{1'000, host, {}}, 1e6};  // a millisecond
  EXPECT_EQ(clock.host_time(1'000, first, last), host);
  EXPECT_EQ(clock.host_time(1'500, first, last), host + 500ms);
  EXPECT_EQ(clock.host_time(500, first, last), host - 500ms);
  EXPECT_EQ(clock.host_time(3'000, first, last), last);
  EXPECT_EQ(clock.host_time(0, host - 1ms, last), host - 1ms);
}

TEST(DeviceClock, NoReadingLeavesWhatTheHostHasSeen) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  for (const double length : {1.0, 1e300, -1e300, infinity, -infinity, nan}) {
    for (const std::uint64_t ticks : {std::uint64_t{0}, std::uint64_t{1}, half - 1, half, ~std::uint64_t{0}}) {
      const Deadline time = DeviceClock{{ticks / 3, host, {}}, length}.host_time(ticks, first, last);
      EXPECT_GE(time, first) << length << ", " << ticks;
      EXPECT_LE(time, last) << length << ", " << ticks;
    }
  }
  EXPECT_EQ((DeviceClock{{1, host, {}}, 1e300}.host_time(2, first, last)), last);
  EXPECT_EQ((DeviceClock{{1, host, {}}, nan}.host_time(2, first, last)), first);
}

}  // namespace
}  // namespace pintle::kit
