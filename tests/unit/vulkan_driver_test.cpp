// Finding and opening Vulkan devices.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <set>

#include "pintle/must.h"
#include "pintle/native/vulkan.h"
#include "vulkan_support.h"

namespace pintle::test {
namespace {

using testing::HasSubstr;

class VulkanDriver : public VulkanTest {};

TEST_F(VulkanDriver, ListsDevicesInOrderWithTheirIdentity) {
  const auto found = vulkan_driver().enumerate();
  std::set<std::string> uuids;
  for (std::size_t ordinal = 0; ordinal < found.devices.size(); ++ordinal) {
    const DeviceInfo& info = found.devices[ordinal];
    EXPECT_EQ(info.id, "vulkan:" + std::to_string(ordinal));
    EXPECT_EQ(info.backend, "vulkan");
    EXPECT_EQ(info.uuid.size(), 32u);
    EXPECT_EQ(info.uuid.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_FALSE(info.name.empty());
    EXPECT_THAT(info.driver, HasSubstr("Vulkan 1."));
    EXPECT_EQ(info.formats.at(0), "spirv");
    EXPECT_EQ(info.progress, Progress::own);
    uuids.insert(info.uuid);
  }
  EXPECT_EQ(uuids.size(), found.devices.size());
}

TEST_F(VulkanDriver, EveryFeatureHasARowWithItsReason) {
  for (const DeviceInfo& info : vulkan_driver().enumerate().devices) {
    for (int feature = 1; feature <= static_cast<int>(Feature::optional_buffers); ++feature) {
      const Capability row = info.capability(Feature(feature));
      EXPECT_NE(row.detail, "not listed");
      EXPECT_TRUE(row.support == Support::native || !row.detail.empty()) << name(row.feature);
    }
  }
}

TEST_F(VulkanDriver, LimitsAreUsable) {
  for (const DeviceInfo& info : vulkan_driver().enumerate().devices) {
    EXPECT_GE(info.limits.max_allocation, 1u << 27);
    EXPECT_GE(info.limits.max_binding, 1u << 27);
    EXPECT_GE(info.limits.max_grid.x, 65535u);
    EXPECT_GE(info.limits.max_group_items, 128u);
    EXPECT_GE(info.limits.max_buffers, 4u);
    EXPECT_GE(info.limits.max_scalar_bytes, 128u);
    EXPECT_GT(info.limits.max_in_flight, 1u);
    EXPECT_GT(info.nanoseconds_per_tick, 0);
  }
}

TEST_F(VulkanDriver, OpensWhatItLists) {
  each([](VulkanRig& rig) {
    const auto info = rig.device->info();
    EXPECT_EQ(info.uuid, vulkan_driver().enumerate().devices.at(std::stoul(info.id.substr(7))).uuid);
    must(rig.device->probe());
  });
}

TEST_F(VulkanDriver, UnknownOrdinalsAndOptionsAreRefused) {
  const auto ordinal = vulkan_driver().open(99, {});
  ASSERT_FALSE(ordinal);
  EXPECT_EQ(ordinal.error().code(), Errc::not_found);
  EXPECT_THAT(ordinal.error().text(), HasSubstr("(99)"));
  const std::vector<Option> options{{"inline", ""}};
  const auto option = vulkan_driver().open(0, options);
  ASSERT_FALSE(option);
  EXPECT_EQ(option.error().code(), Errc::invalid_argument);
}

TEST_F(VulkanDriver, NativeHandlesAreThere) {
  each([](VulkanRig& rig) {
    vulkan::VulkanDevice device;
    must(rig.device->native(vulkan::VulkanDevice::native_type, 0, &device));
    EXPECT_NE(device.instance, nullptr);
    EXPECT_NE(device.physical_device, nullptr);
    EXPECT_NE(device.device, nullptr);
    EXPECT_NE(device.queue, nullptr);
    const auto first = rig.allocate(100), second = rig.allocate(100);
    vulkan::VulkanMemory a, b;
    must(rig.device->native(vulkan::VulkanMemory::native_type, static_cast<std::uint64_t>(first), &a));
    must(rig.device->native(vulkan::VulkanMemory::native_type, static_cast<std::uint64_t>(second), &b));
    EXPECT_NE(a.buffer, 0u);
    EXPECT_EQ(a.size, 100u);
    EXPECT_TRUE(a.buffer != b.buffer || a.offset != b.offset);
    EXPECT_EQ(a.address - a.offset, b.address - b.offset);  // both in one block, or both 0
    const auto unknown = rig.device->native("cpu.memory", 0, &a);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code(), Errc::unsupported);
  });
}

TEST_F(VulkanDriver, RelatesClocksWhereItSaysSo) {
  each([](VulkanRig& rig) {
    const Deadline before = Clock::now();
    const auto pair = rig.device->calibrate();
    const Deadline after = Clock::now();
    if (!rig.has(Feature::calibration)) {
      ASSERT_FALSE(pair);
      EXPECT_EQ(pair.error().code(), Errc::unsupported);
      return;
    }
    ASSERT_TRUE(pair);
    EXPECT_GT(pair->device_ticks, 0u);
    EXPECT_GE(pair->host, before);
    EXPECT_LE(pair->host, after);
    EXPECT_GE(pair->error, Duration::zero());
  });
}

// The loader reads the variable when an instance is made, so a fresh driver sees it.
TEST(VulkanAbsence, NoDriverIsExplained) {
  const char* const before = ::getenv("VK_ICD_FILENAMES");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("VK_ICD_FILENAMES", "/no/such/driver.json", 1);
  const auto driver = vulkan::create_driver();
  const auto found = driver->enumerate();
  const auto opened = driver->open(0, {});
  if (before != nullptr) ::setenv("VK_ICD_FILENAMES", kept.c_str(), 1);
  else ::unsetenv("VK_ICD_FILENAMES");
  EXPECT_TRUE(found.devices.empty());
  ASSERT_EQ(found.absences.size(), 1u);
  EXPECT_EQ(found.absences[0].backend, "vulkan");
  const std::string& reason = found.absences[0].reason;
  EXPECT_TRUE(reason.find("/no/such/driver.json") != std::string::npos ||
              reason.find("libvulkan.so.1") != std::string::npos)
      << reason;
  EXPECT_THAT(found.absences[0].next_step, HasSubstr("VK_ICD_FILENAMES"));
  EXPECT_FALSE(opened);
}

}  // namespace
}  // namespace pintle::test
