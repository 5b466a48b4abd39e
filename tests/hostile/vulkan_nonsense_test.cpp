// What is told of a broken driver: an absence or a device, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hostile/nonsense.h"

namespace pintle::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* hostile = "vulkan:hostile";

TEST(HostileVulkanNonsense, NamesEndWithTheirArrays) {
  const auto found = devices_of("vulkan", listed("long_name"));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found.front().name, SizeIs(256));
  EXPECT_THAT(found.front().name, StartsWith("hostile "));
  EXPECT_THAT(found.front().name, EndsWith("xxx"));
  EXPECT_THAT(found.front().driver, HasSubstr("yyy "));
  EXPECT_THAT(found.front().driver, HasSubstr("zzz, Vulkan 1."));
  EXPECT_LE(found.front().driver.find(", Vulkan 1."), 256U + 1 + 256);
  expect_work(must(open(hostile)));
}

TEST(HostileVulkanNonsense, DevicesThatAreNotThereWhenTheyAreAskedForAreAbsent) {
  const DeviceList list = listed("no_devices");
  EXPECT_THAT(devices_of("vulkan", list), IsEmpty());
  EXPECT_THAT(why_absent("vulkan", list), HasSubstr("list no device"));
}

TEST(HostileVulkanNonsense, CountsThatGrowAreNotBelieved) {
  const auto found = devices_of("vulkan", listed("growing_counts"));
  ASSERT_THAT(found, SizeIs(1));
  expect_work(must(open(hostile)));
}

// No header has the type of the device, so it is not known for software, and waits look before they sleep.
TEST(HostileVulkanNonsense, UnheardOfEnumeratorsAreLeftAlone) {
  const auto found = devices_of("vulkan", listed("enumerators"));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.front().kind, DeviceKind::accelerator);
  EXPECT_EQ(found.front().capability(Feature::calibration).support, Support::absent);
  const Device device = must(open(hostile));
  for (int i = 0; i < 100; ++i) expect_work(device);
}

TEST(HostileVulkanNonsense, TicksThatAreNoNumberAreNoTimestamps) {
  const auto found = devices_of("vulkan", listed("ticks"));
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.front().nanoseconds_per_tick, 1);
  EXPECT_EQ(found.front().capability(Feature::timestamp).support, Support::absent);
  EXPECT_THAT(found.front().capability(Feature::timestamp).detail, HasSubstr("timestampPeriod of the driver is (nan)"));
  const Device device = must(open(hostile));
  EXPECT_EQ(device.info().nanoseconds_per_tick, 1);
  const Buffer ticks = must(device.allocate(DType::u64, {1}));
  Queue queue = must(device.create_queue());
  const auto refused = queue.submit(CommandList{}.timestamp(ticks));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::unsupported);
  EXPECT_THAT(refused.error().text(), HasSubstr("timestampPeriod of the driver is (nan)"));
  expect_work(device);
}

}  // namespace
}  // namespace pintle::test
