#include "kit/found_devices.h"

#include <gtest/gtest.h>

namespace pintle::kit {
namespace {

struct Card {
  DeviceInfo info;
};

TEST(FoundDevices, AnOrdinalIsOneOfThem) {
  Found<Card> found;
  found.absences = {{"gpu", "There is no driver.", "Install one."}};
  EXPECT_EQ(device_at(found, "gpu", 0).error().code(), Errc::unavailable);
  EXPECT_TRUE(device_at(found, "gpu", 0).error().message().contains("There is no driver."));
  found.devices.resize(2);
  found.devices[1].info.id = "gpu:1";
  EXPECT_EQ(device_at(found, "gpu", 1)->info.id, "gpu:1");
  EXPECT_EQ(device_at(found, "gpu", 2).error().code(), Errc::not_found);
  EXPECT_EQ(enumeration_of(found).devices.size(), 2u);
}

TEST(FoundDevices, TheHostsProcessorIsFoundByItsName) {
  EXPECT_TRUE(is_software_by_name("llvmpipe (LLVM 15.0.6, 256 bits)"));
  EXPECT_TRUE(is_software_by_name("Simulated NVIDIA H200"));
  EXPECT_FALSE(is_software_by_name("NVIDIA H200"));
}

}  // namespace
}  // namespace pintle::kit
