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

/// Whether the first of two launches in one list has met the second.
bool have_met(Queue& queue, const Buffer& a, CommandList list) {
  meeting = 0;
  must(queue.submit_and_wait(std::move(list)));
  return must(read<std::uint32_t>(queue, a)) == std::vector<std::uint32_t>{1};
}

// Nobody promises that both run at once each time: another thread helps when it has time.
TEST(CpuThreadsConcurrency, IndependentLaunchesRunAtOnce) {
  must(cpu::register_kernel("queue_test_meet", kernel_meet));
  const Device device = must(open("cpu?threads=2"));
  const auto pack =
      must(ProgramPack::source("native", "", {"queue_test_meet(out: write u32[], patience: u32) group 1"}));
  const Kernel meet = must(device.load(pack, "queue_test_meet"));
  Queue queue = must(device.create_queue());
  const Buffer a = must(device.allocate(DType::u32, {1})), b = must(device.allocate(DType::u32, {1}));
  const auto first = [&] { return std::move(CommandList{}.exec(meet, Grid{1}, a, 100u)); };
  bool met = false;
  for (int attempt = 0; attempt < 100 && !met; ++attempt)
    met = have_met(queue, a, std::move(first().exec(meet, Grid{1}, b, 100u)));
  EXPECT_TRUE(met);
  EXPECT_FALSE(have_met(queue, a, std::move(first().barrier().exec(meet, Grid{1}, b, 100u))));
}

}  // namespace
}  // namespace pintle::test
