// A kernel never ends on a driver that keeps everybody inside who allocates, frees or builds meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "pintle/must.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

Result<Program> load(const Device& device, std::string_view code, std::string_view signature) {
  PINTLE_ASSIGN(pack, ProgramPack::source("opencl_c", code, {signature}));
  return device.load(pack);
}

class HostileEndless : public testing::Test {
 protected:
  HostileEndless()
      : losing_(must(open("faulty(opencl:hostile)?call=submit&code=device_lost"))),
        lost_(must(losing_.allocate(DType::u32, {4}))),
        losing_queue_(must(losing_.create_queue())),
        device_(must(open("opencl:hostile"))),
        buffer_(must(device_.allocate(DType::u32, {4}))),
        spare_(must(device_.allocate(DType::u32, {4}))),
        endless_(must(must(load(device_, "kernel void endless(global uint* x) { for (;;) x[0] = 1; }",
                                "endless(x: read_write u32[])"))
                          .kernel("endless"))),
        queue_(must(device_.create_queue())) {
    const Point point = must(queue_.submit(CommandList{}.exec(endless_, Grid{1}, buffer_)));
    EXPECT_EQ(point.wait(200ms).error().code(), Errc::timeout);
  }

  Device losing_;  // is lost at its first submission
  Buffer lost_;
  Queue losing_queue_;
  Device device_;
  Buffer buffer_;
  std::optional<Buffer> spare_;
  Kernel endless_;
  Queue queue_;
};

TEST_F(HostileEndless, LeavesOtherQueuesAloneAndKeepsNobodyInTheDriver) {
  Queue other = must(device_.create_queue());
  must(other.submit(CommandList{}.fill(*spare_, 7U)));
  EXPECT_EQ(must(read<std::uint32_t>(other, *spare_)), (std::vector<std::uint32_t>{7, 7, 7, 7}));
  must(device_.health());
  const auto loaded = load(device_, "kernel void other(global uint* x) { x[0] = 2; }", "other(x: read_write u32[])");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code(), Errc::timeout) << loaded.error().text();
  EXPECT_THAT(std::string(loaded.error().message()), HasSubstr("still loading ["));
  const auto allocated = device_.allocate(DType::u32, {4});
  ASSERT_FALSE(allocated);
  EXPECT_EQ(allocated.error().code(), Errc::timeout) << allocated.error().text();
  EXPECT_THAT(allocated.error().text(), HasSubstr("the default deadline"));
  spare_.reset();  // blocks nobody
}

TEST_F(HostileEndless, TheCallersTimeoutBoundsAllocatingAndLoading) {
  const auto expect_own = [](const auto& refused) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Errc::timeout) << refused.error().text();
    EXPECT_THAT(refused.error().text(), Not(HasSubstr("the default deadline")));
  };
  expect_own(device_.allocate(DType::u32, {4}, {.timeout = 50ms}));
  const Pool pool = must(Pool::create(device_));
  expect_own(queue_.allocate(pool, DType::u32, {4}, {.timeout = 50ms}));
  const auto pack = must(ProgramPack::source("opencl_c", "kernel void other(global uint* x) { x[0] = 2; }",
                                             {"other(x: read_write u32[])"}));
  expect_own(device_.load(pack, LoadOptions{.timeout = 50ms}));
}

void expect_left_behind(const Error& error) {
  EXPECT_EQ(error.code(), Errc::timeout) << error.text();
  EXPECT_THAT(error.text(), AllOf(HasSubstr("is still opening a device"), HasSubstr("the default deadline")));
}

TEST_F(HostileEndless, OpeningEndsAtTheDeadline) {
  const auto opened = open("validate(opencl:hostile)");
  ASSERT_FALSE(opened);
  expect_left_behind(opened.error());
  must(device_.health());
}

TEST_F(HostileEndless, RecoveringEndsAtTheDeadline) {
  EXPECT_EQ(losing_queue_.submit(CommandList{}.fill(lost_, 7U)).error().code(), Errc::device_lost);
  const auto recovered = losing_.recover();
  ASSERT_FALSE(recovered);
  expect_left_behind(recovered.error());
}

}  // namespace
}  // namespace pintle::test
