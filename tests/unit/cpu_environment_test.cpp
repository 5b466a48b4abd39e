// The floating-point environment of kernels and host calls on the cpu, beside that of the thread that waits.
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cfenv>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/float_environment.h"
#include "base/kernel_environment.h"
#include "cpu_support.h"
#include "pintle/must.h"
#include "pintle/native/cpu.h"
#include "pintle/pintle.h"

namespace pintle::test {
namespace {

constexpr int traps = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;

/// Half of the least normal number, computed here; zero where subnormal numbers are flushed.
float subnormal() {
  volatile float least = std::numeric_limits<float>::min();
  volatile float half = least / 2;
  return half;
}

/// Computes what the modes of SSE and of x87 decide, and raises flags in both: where an exception traps, this ends the
/// process.
bool is_usual() {
  volatile float one = 1, three = 3, zero = 0;
  volatile float third = one / three, infinite = one / zero;
  volatile long double long_one = 1, long_zero = 0;
  volatile long double long_infinite = long_one / long_zero;
  static_cast<void>(infinite);
  static_cast<void>(long_infinite);
  return std::bit_cast<std::uint32_t>(static_cast<float>(third)) == 0x3eaaaaabu && subnormal() != 0 &&
         std::fegetround() == FE_TONEAREST && ::fegetexcept() == 0;
}

/// A caller that computes in modes of its own.
class Strange {
 public:
  Strange() {
    std::fegetenv(&before_);
    std::feclearexcept(FE_ALL_EXCEPT);
    base::flush_to_zero();
    std::fesetround(FE_DOWNWARD);
    ::feenableexcept(traps);
    flushed_ = subnormal();
  }
  Strange(const Strange&) = delete;
  Strange& operator=(const Strange&) = delete;
  ~Strange() { std::fesetenv(&before_); }

  /// A flag that is left in x87 would trap at this addition.
  [[nodiscard]] bool is_unchanged() const {
    volatile long double sum = 1;
    sum = sum + 1;
    return std::fegetround() == FE_DOWNWARD && ::fegetexcept() == traps &&
           std::bit_cast<std::uint32_t>(subnormal()) == std::bit_cast<std::uint32_t>(flushed_) &&
           std::fetestexcept(traps) == 0;
  }

 private:
  std::fenv_t before_{};
  float flushed_ = 0;
};

/// What the kernel saw; one test at a time.
struct Seen {
  std::atomic<int> usual{0}, strange{0}, here{0};
};
Seen seen;
thread_local bool waits_here = false;

void kernel_look(const pintle_group*, void* const*) {
  ++(is_usual() ? seen.usual : seen.strange);
  if (waits_here) ++seen.here;
}

class CpuEnvironmentConcurrency : public testing::TestWithParam<Option> {
 protected:
  CpuEnvironmentConcurrency() {
    must(cpu::register_kernel("environment_look", kernel_look));
    seen.usual = seen.strange = seen.here = 0;
    waits_here = true;
  }
  ~CpuEnvironmentConcurrency() override { waits_here = false; }
};

INSTANTIATE_TEST_SUITE_P(Options, CpuEnvironmentConcurrency,
                         testing::Values(Option{"threads", "1"}, Option{"threads", "2"}, Option{"threads", "4"},
                                         Option{"inline", ""}),
                         [](const auto& info) { return std::string(info.param.key) + std::string(info.param.value); });

// Workers begin with the environment of the thread that opens the device.
TEST_P(CpuEnvironmentConcurrency, KernelsComputeAlikeOnWorkersAndOnTheThreadThatWaits) {
  const Strange caller;
  CpuRig rig(std::vector<Option>{GetParam()});
  const auto program = rig.native({"environment_look()"});
  const List one = launch(program, 0, {1, 1, 1}, {}), many = launch(program, 0, {64, 1, 1}, {});
  const Deadline give_up = soon();
  while (seen.here < 3 && Clock::now() < give_up) rig.run(one);
  for (int round = 0; round < 20; ++round) rig.run(many);
  EXPECT_GE(seen.here, 3);
  EXPECT_GE(seen.usual, 20 * 64);
  EXPECT_EQ(seen.strange, 0);
  EXPECT_TRUE(caller.is_unchanged());
}

TEST(CpuHostCallEnvironmentConcurrency, AHostCallLeavesTheCallersAndTheNextKernelsAsTheyWere) {
  must(cpu::register_kernel("environment_look", kernel_look));
  for (const std::string id : {"cpu", "cpu?inline"}) {
    seen.usual = seen.strange = 0;
    const Device device = must(open(id));
    const Kernel kernel =
        must(device.load(must(ProgramPack::source("native", "", {"environment_look()"})), "environment_look"));
    Queue queue = must(device.create_queue());
    const Strange caller;
    bool was_usual = false;
    must(queue.submit_and_wait(CommandList{}
                                   .call([&] {
                                     was_usual = is_usual();
                                     std::fesetround(FE_UPWARD);
                                   })
                                   .exec(kernel, Grid{8})));
    EXPECT_TRUE(was_usual) << id;
    EXPECT_EQ(seen.usual, 8) << id;
    EXPECT_EQ(seen.strange, 0) << id;
    EXPECT_FALSE(queue.submit_and_wait(CommandList{}.call([] {
      std::fesetround(FE_UPWARD);
      throw std::runtime_error("no");
    }))) << id;
    EXPECT_TRUE(caller.is_unchanged()) << id;
  }
}

// Flags that the caller has raised are neither lost nor joined by others.
TEST(KernelEnvironment, TheCallersFlagsStay) {
  std::feclearexcept(FE_ALL_EXCEPT);
  std::feraiseexcept(FE_OVERFLOW);
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);  // with FE_INEXACT on some processors
  {
    const base::KernelEnvironment usual;
    EXPECT_TRUE(is_usual());
  }
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), raised);
  std::feclearexcept(FE_ALL_EXCEPT);
}

}  // namespace
}  // namespace pintle::test
