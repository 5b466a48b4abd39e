// The driver below WebGPU loses the device at a submission, each time in a process of its own. Which implementation is
// asked follows from PINTLE_WEBGPU.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "pintle/pintle.h"

namespace pintle::test {
namespace {

using namespace std::chrono_literals;

constexpr int first = 1, last = 12;  // an implementation submits for itself, too

/// Submissions until one fails; whether one did.
Result<void> work(const Device& device, int count) {
  PINTLE_ASSIGN(queue, device.create_queue());
  PINTLE_ASSIGN(buffer, device.allocate(DType::u32, {64}));
  for (int i = 0; i < count; ++i) {
    PINTLE_TRY(queue.submit_and_wait(CommandList{}.fill(buffer, 7u), 10s));
    PINTLE_ASSIGN(values, read<std::uint32_t>(queue, buffer, 10s));
    if (values != std::vector<std::uint32_t>(64, 7)) return Error(Errc::internal, "The bytes are wrong.");
  }
  return {};
}

/// 0: the loss is told, everywhere the same, and the next generation works.
int lose(int submission, bool is_late) {
  ::setenv("HOSTILE_LOST", std::to_string(submission).c_str(), 1);
  if (is_late) ::setenv("HOSTILE_LOST_LATE", "1", 1);
  const auto opened = open("webgpu");
  if (!opened) return opened.error().code() == Errc::device_lost && submission < last ? 0 : 2;
  const Device device = *opened;
  const auto worked = work(device, last);
  if (worked || worked.error().code() != Errc::device_lost) return 3;
  const auto health = device.health();
  if (health || health.error().code() != Errc::device_lost) return 4;
  if (!device.recover() || device.generation() != 2) return 5;
  return work(device, 2) ? 0 : 6;
}

class HostileWebgpuLoss : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  static void end(int submission) { std::_Exit(lose(submission, GetParam())); }
};

TEST_P(HostileWebgpuLoss, IsToldAndTheNextGenerationWorks) {
  for (int submission = first; submission <= last; ++submission) {
    SCOPED_TRACE(submission);
    EXPECT_EXIT(end(submission), testing::ExitedWithCode(0), "");
  }
}

// wgpu-native 29 has no way to be told: docs/support.md says so. A version that has one fails here.
TEST_P(HostileWebgpuLoss, EndsTheProcessInWgpuNative) {
  for (int submission = first; submission <= last; ++submission) {
    SCOPED_TRACE(submission);
    EXPECT_EXIT(end(submission), testing::KilledBySignal(SIGABRT), "lost");
  }
}

INSTANTIATE_TEST_SUITE_P(, HostileWebgpuLoss, testing::Bool(),
                         [](const auto& late) { return late.param ? "AtItsWait" : "AtItsSubmission"; });

}  // namespace
}  // namespace pintle::test
