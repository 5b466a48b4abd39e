// Local memory of a kernel and its launch together.
#include "kit/local_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace pintle::test {
namespace {

TEST(LocalMemory, BeyondTheLimitIsRefusedWithItsParts) {
  EXPECT_TRUE(kit::check_local_memory(64, "blur", 16, 64));
  const auto refused = kit::check_local_memory(65, "blur", 16, 64);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  EXPECT_THAT(std::string(refused.error().message()),
              testing::HasSubstr("(65 bytes, of which the kernel \"blur\" declares 16 itself)"));
}

}  // namespace
}  // namespace pintle::test
