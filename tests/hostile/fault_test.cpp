// A kernel faults on a driver that then answers nothing but CL_UNKNOWN, in a process under the layer.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "pintle/must.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

using namespace std::chrono_literals;

constexpr int cl_unknown = -9999;

class HostileFault : public testing::Test {
 protected:
  HostileFault()
      : device_(must(open("opencl:hostile"))),
        buffer_(must(device_.allocate(DType::u32, {4}))),
        fault_(must(
            must(device_.load(must(ProgramPack::source("opencl_c", "kernel void fault(global uint* x) { x[0] = 1; }",
                                                       {"fault(x: read_write u32[])"}))))
                .kernel("fault"))) {}

  [[nodiscard]] static int vendor_number(const Error& error) {
    return error.vendor() ? static_cast<int>(error.vendor()->code) : 0;
  }

  Device device_;
  Buffer buffer_;
  Kernel fault_;
};

TEST_F(HostileFault, EndsEveryWaitWithTheFirstCause) {
  Queue faulting = must(device_.queue()), other = must(device_.queue());
  const Point fault = must(faulting.submit(CommandList{}.exec(fault_, Grid{1}, buffer_)));
  const Point behind = must(other.submit(CommandList{}.fill(buffer_, 1U), {.after = {fault}}));
  const auto faulted = fault.wait(10s), stopped = behind.wait(10s);
  ASSERT_FALSE(faulted);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(faulted.error().code(), Errc::device_lost);
  EXPECT_EQ(vendor_number(faulted.error()), cl_unknown) << faulted.error().text();
  EXPECT_TRUE(stopped.error().same_origin(faulted.error())) << stopped.error().text();
  EXPECT_EQ(device_.allocate(DType::u32, {4}).error().code(), Errc::device_lost);
}

TEST_F(HostileFault, PoisonsTheProcess) {
  Queue queue = must(device_.queue());
  const Point fault = must(queue.submit(CommandList{}.exec(fault_, Grid{1}, buffer_)));
  ASSERT_FALSE(fault.wait(10s));
  for (int i = 0; i < 2; ++i) {
    const auto recovered = device_.recover();
    ASSERT_FALSE(recovered);
    EXPECT_EQ(recovered.error().code(), Errc::process_poisoned) << recovered.error().text();
    EXPECT_EQ(vendor_number(recovered.error()), cl_unknown);
  }
  EXPECT_EQ(device_.generation(), 1U);
}

TEST_F(HostileFault, LeavesOtherBackendsAlone) {
  Queue queue = must(device_.queue());
  const Point fault = must(queue.submit(CommandList{}.exec(fault_, Grid{1}, buffer_)));
  ASSERT_FALSE(fault.wait(10s));
  const Device cpu = must(open("cpu"));
  const Buffer words = must(cpu.allocate(DType::u32, {4}));
  Queue own = must(cpu.queue());
  must(own.submit(CommandList{}.fill(words, 7U)));
  EXPECT_EQ(must(read<std::uint32_t>(own, words)), (std::vector<std::uint32_t>{7, 7, 7, 7}));
}

}  // namespace
}  // namespace pintle::test
