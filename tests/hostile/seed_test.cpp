// What the chance of the layers begins from. The variables are this process's: the cases share no layer.
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/habits.h"

namespace pintle::hostile {
namespace {

TEST(HostileSeed, IsTheTurnOfTheCheckUnlessOneIsGiven) {
  ::unsetenv("HOSTILE_SEED");
  ::unsetenv("TEST_SHARE");
  EXPECT_EQ(first_seed(), 0U);
  ::setenv("TEST_SHARE", "dev:1234", 1);
  EXPECT_EQ(first_seed(), 1234U);
  ::setenv("TEST_SHARE", "", 1);
  EXPECT_EQ(first_seed(), 0U);
  ::setenv("TEST_SHARE", "tsan:7", 1);
  ::setenv("HOSTILE_SEED", "3", 1);
  EXPECT_EQ(first_seed(), 3U);
}

}  // namespace
}  // namespace pintle::hostile
