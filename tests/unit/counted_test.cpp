#include "kit/counted.h"

#include <gtest/gtest.h>

#include <utility>

namespace pintle::kit {
namespace {

struct UsesCount {
  static void retain(int* uses) noexcept { ++*uses; }
  static void release(int* uses) noexcept { --*uses; }
};
using Handle = Counted<int*, UsesCount>;

TEST(Counted, EachCopyIsAUse) {
  int uses = 1, others = 1;
  {
    Handle first(&uses);
    const Handle second = first;
    EXPECT_EQ(uses, 2);
    Handle third = std::move(first);
    EXPECT_EQ(uses, 2);
    EXPECT_EQ(first.get(), nullptr);  // NOLINT(bugprone-use-after-move)
    third = Handle(&others);
    EXPECT_EQ(uses, 1);
    third = second;
    EXPECT_EQ(others, 0);
    EXPECT_EQ(third.get(), &uses);
  }
  EXPECT_EQ(uses, 0);
}

TEST(Counted, ADefaultOneIsNone) {
  Handle none;
  const Handle copy = none;
  none = copy;
  EXPECT_EQ(copy.get(), nullptr);
}

}  // namespace
}  // namespace pintle::kit
