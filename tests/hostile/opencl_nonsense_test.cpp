// What is told of a broken driver: an absence or a device, never a crash. The layer looks at the environment when it is
// asked, so each case sets its own nonsense before it asks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "pintle/must.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;

DeviceList listed(const char* nonsense) {
  ::setenv("HOSTILE_NONSENSE", nonsense, 1);
  return must(devices());
}

std::vector<DeviceInfo> opencl_in(const DeviceList& list) {
  std::vector<DeviceInfo> found;
  for (const DeviceInfo& info : list.devices) {
    if (info.backend == "opencl") found.push_back(info);
  }
  return found;
}

std::string why_absent(const DeviceList& list) {
  const auto absence = std::ranges::find(list.absences, "opencl", &Absence::backend);
  return absence == list.absences.end() ? "" : absence->reason;
}

TEST(HostileNonsense, ALongNameIsTheDevicesName) {
  const auto found = opencl_in(listed("long_name"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().name.size(), 10'008U);
  EXPECT_EQ(must(open("opencl:hostile")).info().name.size(), 10'008U);
}

TEST(HostileNonsense, DevicesThatAreNotThereWhenTheyAreAskedForAreAbsent) {
  const DeviceList list = listed("no_devices");
  EXPECT_TRUE(opencl_in(list).empty());
  EXPECT_THAT(why_absent(list), HasSubstr("has no device"));
}

TEST(HostileNonsense, AVersionThatChangesIsNone) {
  const DeviceList list = listed("growing_texts");
  EXPECT_TRUE(opencl_in(list).empty());
  EXPECT_THAT(why_absent(list), HasSubstr("older than 1.2"));
}

TEST(HostileNonsense, UnheardOfEnumeratorsAreLeftAlone) {
  const auto found = opencl_in(listed("enumerators"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().kind, DeviceKind::accelerator);
  const Device device = must(open("opencl:hostile"));
  const Buffer words = must(device.allocate(DType::u32, {4}));
  Queue queue = must(device.create_queue());
  must(queue.submit(CommandList{}.fill(words, 7U)));
  EXPECT_EQ(must(read<std::uint32_t>(queue, words)), (std::vector<std::uint32_t>{7, 7, 7, 7}));
}

}  // namespace
}  // namespace pintle::test
