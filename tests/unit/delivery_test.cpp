// Downloads from staging memory, and a device that is lost before they are delivered.
#include "kit/delivery.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace pintle::test {
namespace {

TEST(Delivery, IsMadeOnceAndNotAfterTheLoss) {
  const std::array staged{std::byte{7}, std::byte{8}};
  std::array<std::byte, 2> target{};
  const kit::Delivery both{target.data(), staged.data(), staged.size()};
  kit::HostAccess host;
  std::vector deliveries{both};
  EXPECT_TRUE(kit::deliver(deliveries, host));
  EXPECT_EQ(target, staged);
  EXPECT_TRUE(deliveries.empty());
  host.close();
  EXPECT_TRUE(kit::deliver(deliveries, host));  // there is nothing to touch
  deliveries = {both};
  target = {};
  EXPECT_FALSE(kit::deliver(deliveries, host));
  EXPECT_EQ(target[0], std::byte{0});
}

}  // namespace
}  // namespace pintle::test
