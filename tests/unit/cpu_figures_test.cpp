// Hot-path figures of the cpu backend at the seam, for a quick look while changing it. Nothing is asserted about times,
// so it does not run by itself: --gtest_also_run_disabled_tests --gtest_filter='CpuFigures*'. What is published comes
// from bench/.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

#include "cpu_support.h"
#include "pintle/native/cpu.h"

namespace pintle::test {
namespace {

/// The median of `trials` runs, in nanoseconds.
double median_of(int trials, const std::function<void()>& run) {
  std::vector<double> times;
  for (int trial = 0; trial < trials; ++trial) {
    const Deadline begin = Clock::now();
    run();
    times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  std::ranges::nth_element(times, times.begin() + trials / 2);
  return times[static_cast<std::size_t>(trials / 2)];
}

TEST(CpuFigures, DISABLED_Print) {
  CpuRig rig;
  must(cpu::register_kernel("figures_empty", [](const pintle_group*, void* const*) {}));
  const auto program = rig.native({"figures_empty(x: read f32[]) group 1"});
  const auto memory = rig.allocate(4);
  const List one = launch(program, 0, {1, 1, 1}, {buffer_argument(range_of(memory, 0, 4))});
  List thousand = one;
  thousand.commands.resize(1000, one.commands[0]);
  const auto recording = must(rig.device->record(thousand));
  const List replay({backend::Replay{recording, {}}});

  std::printf("submit and wait, worker awake: %.0f ns\n", median_of(20000, [&] { rig.run(one); }));
  std::printf("submit, bursts of 100:         %.1f ns each\n", median_of(1000, [&] {
                                                                 static std::uint64_t last = 0;
                                                                 if (last != 0) rig.finish(last);
                                                                 for (int index = 0; index < 100; ++index)
                                                                   last = must(rig.device->submit(rig.queue, {}, one));
                                                               }) / 100);
  rig.finish(must(rig.device->submit(rig.queue, {}, one)));
  std::printf("replay of 1000 empty kernels:  %.1f ns each\n", median_of(1000, [&] { rig.run(replay); }) / 1000);
  rig.device->forget(recording);
}

}  // namespace
}  // namespace pintle::test
