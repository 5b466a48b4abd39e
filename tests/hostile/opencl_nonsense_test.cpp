// What is told of a broken driver: an absence or a device, never a crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hostile/nonsense.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;

TEST(HostileNonsense, ALongNameIsTheDevicesName) {
  const auto found = devices_of("opencl", listed("long_name"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().name.size(), 10'008U);
  EXPECT_EQ(must(open("opencl:hostile")).info().name.size(), 10'008U);
}

TEST(HostileNonsense, DevicesThatAreNotThereWhenTheyAreAskedForAreAbsent) {
  const DeviceList list = listed("no_devices");
  EXPECT_TRUE(devices_of("opencl", list).empty());
  EXPECT_THAT(why_absent("opencl", list), HasSubstr("has no device"));
}

TEST(HostileNonsense, AVersionThatChangesIsNone) {
  const DeviceList list = listed("growing_texts");
  EXPECT_TRUE(devices_of("opencl", list).empty());
  EXPECT_THAT(why_absent("opencl", list), HasSubstr("older than 1.2"));
}

TEST(HostileNonsense, UnheardOfEnumeratorsAreLeftAlone) {
  const auto found = devices_of("opencl", listed("enumerators"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().kind, DeviceKind::accelerator);
  expect_work(must(open("opencl:hostile")));
}

}  // namespace
}  // namespace pintle::test
