#include "base/contain.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <vector>

namespace pintle::base {
namespace {

TEST(Contain, PassesValuesAndErrors) {
  EXPECT_EQ(*contain("counting", []() -> Result<int> { return 3; }), 3);
  const Error error(Errc::stale, "Buffer is gone.");
  EXPECT_TRUE(contain("counting", [&]() -> Result<void> { return error; }).error().same_origin(error));
}

TEST(Contain, WantOfMemoryIsItsOwnCode) {
  const auto bad = contain("counting", []() -> Result<int> { throw std::bad_alloc(); });
  EXPECT_EQ(bad.error().code(), Errc::out_of_memory);
  const auto length = contain("counting", []() -> Result<int> {
    std::vector<int> numbers;
    numbers.reserve(numbers.max_size() + 1);
    return 0;
  });
  EXPECT_EQ(length.error().code(), Errc::out_of_memory);
}

TEST(Contain, AnythingElseIsADefectWithItsWords) {
  const auto known = contain("counting", []() -> Result<int> { throw std::runtime_error("lost count"); });
  EXPECT_EQ(known.error().code(), Errc::internal);
  EXPECT_EQ(known.error().message(), "An unexpected exception (lost count) ends counting.");
  const auto unknown = contain("counting", []() -> Result<int> { throw 5; });
  EXPECT_EQ(unknown.error().code(), Errc::internal);
}

}  // namespace
}  // namespace pintle::base
