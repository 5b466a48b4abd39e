#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "pintle/pintle.h"

namespace pintle {
namespace {

TEST(BufferMove, TakesWhatItsOwnKeptBufferHolds) {
  Device device = must(open("cpu"));
  Buffer first = must(device.allocate(DType::u8, {16}));
  auto second = std::make_shared<Buffer>(must(device.allocate(DType::u8, {32})));
  Buffer& inner = *second;
  must(first.keep(std::move(second)));
  first = std::move(inner);  // lets go of the buffer that owned it
  EXPECT_EQ(first.size_bytes(), 32u);
  EXPECT_TRUE(first.map_read());
}

}  // namespace
}  // namespace pintle
