// Launches that nothing keeps apart overlap in time.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "pintle/native/cpu.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

std::atomic<int> meeting{0};

/// Waits for another of its kind; 1 where it comes.
void kernel_meet(const pintle_group*, void* const* arguments) {
  ++meeting;
  const auto patience =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(*static_cast<const std::uint32_t*>(arguments[1]));
  while (meeting.load() < 2 && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
  *static_cast<std::uint32_t*>(arguments[0]) = meeting.load() >= 2 ? 1 : 0;
}

TEST(CpuThreadsConcurrency, IndependentLaunchesRunAtOnce) {
  must(cpu::register_kernel("queue_test_meet", kernel_meet));
  const Device device = must(open("cpu?threads=2"));
  const auto pack =
      must(ProgramPack::source("native", "", {"queue_test_meet(out: write u32[], patience: u32) group 1"}));
  const Kernel meet = must(device.load(pack, "queue_test_meet"));
  Queue queue = must(device.queue());
  const Buffer a = must(device.allocate(DType::u32, {1})), b = must(device.allocate(DType::u32, {1}));
  meeting = 0;
  must(queue.submit_and_wait(CommandList{}.exec(meet, Grid{1}, a, 10000u).exec(meet, Grid{1}, b, 10000u)));
  EXPECT_EQ(must(read<std::uint32_t>(queue, a)), std::vector<std::uint32_t>{1});
  EXPECT_EQ(must(read<std::uint32_t>(queue, b)), std::vector<std::uint32_t>{1});
  meeting = 0;
  must(queue.submit_and_wait(CommandList{}.exec(meet, Grid{1}, a, 50u).barrier().exec(meet, Grid{1}, b, 50u)));
  EXPECT_EQ(must(read<std::uint32_t>(queue, a)), std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace pintle::test
