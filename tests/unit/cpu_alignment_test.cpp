// Views that a kernel of the cpu could not read are refused before a launch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "pintle/must.h"
#include "pintle/native/cpu.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CpuAlignment : public testing::Test {
 protected:
  CpuAlignment() {
    must(cpu::register_kernel("alignment_test", [](const pintle_group*, void* const*) {}));
  }

  Kernel load(const std::string& parameter) {
    const std::string signature = "alignment_test(" + parameter + ")";
    return must(device.load(must(ProgramPack::source("native", "", {signature})), "alignment_test"));
  }
  BufferView bytes_from(std::uint64_t offset) { return must(buffer.slice(offset, 64)); }

  Device device = must(open("cpu"));
  Queue queue = must(device.create_queue());
  Buffer buffer = must(device.allocate(DType::u8, {256}));
};

TEST_F(CpuAlignment, FloatsInBytesBeginAtAMultipleOfFour) {
  for (const std::uint64_t odd : {1u, 2u, 3u, 7u}) {
    const auto view = bytes_from(odd).as(DType::f32, {16});
    ASSERT_FALSE(view) << odd;
    EXPECT_EQ(view.error().code(), Errc::invalid_argument);
    EXPECT_THAT(view.error().text(), HasSubstr("(" + std::to_string(odd) + ")"));
  }
  const Kernel kernel = load("x: read_write f32[]");
  must(queue.submit_and_wait(CommandList{}.exec(kernel, Grid{1}, must(bytes_from(12).as(DType::f32, {16})))));
}

TEST_F(CpuAlignment, AParameterAsksForMore) {
  const Kernel kernel = load("x: read_write f32[] align 16");
  const auto floats_from = [&](std::uint64_t offset) { return must(bytes_from(offset).as(DType::f32, {16})); };
  must(queue.submit_and_wait(CommandList{}.exec(kernel, Grid{1}, floats_from(32))));
  const auto refused = queue.submit_and_wait(CommandList{}.exec(kernel, Grid{1}, floats_from(20)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Errc::invalid_argument);
  EXPECT_THAT(refused.error().text(), AllOf(HasSubstr("(20)"), HasSubstr("(16)"), HasSubstr("\"x\"")));
}

}  // namespace
}  // namespace pintle::test
