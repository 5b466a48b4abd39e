// Buffers of vectors of three: each vector takes the place of four numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "pintle/must.h"
#include "pintle/pintle.h"

namespace pintle {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(VectorsOfThree, ABufferHasWholeVectors) {
  const Device device = must(open("null"));
  const Kernel kernel = must(device.load(must(ProgramPack::source("c", "code", {"f(x: read f32x3[n], n: u32)"})), "f"));
  Queue queue = must(device.create_queue());
  const auto launch = [&](const BufferView& x, std::uint32_t n) -> std::string {
    const auto done = queue.submit_and_wait(CommandList{}.exec(kernel, Grid{1}, x, n));
    return done ? "ok" : std::string(done.error().message());
  };
  const Buffer packed = must(device.allocate(DType::f32, {9})), whole = must(device.allocate(DType::f32, {16}));
  EXPECT_THAT(launch(packed, 1),
              AllOf(HasSubstr("Size (36)"), HasSubstr("the (16) bytes from one vector to the next")));
  EXPECT_EQ(launch(whole, 4), "ok");
  EXPECT_THAT(launch(whole, 5), AllOf(HasSubstr("Size (64)"), HasSubstr("less than the size (80)")));
  EXPECT_THAT(launch(must(whole.slice(1, 12)), 1), HasSubstr("alignment"));
}

}  // namespace
}  // namespace pintle
