// replay_1000: what a recorded launch adds to a call.
#include <utility>

#include "bench/figure.h"
#include "bench/rig.h"

namespace pintle::bench {
namespace {

constexpr std::uint32_t kernels = 1000;
constexpr std::uint32_t runs = 50;

Result<Recording> record(const Rig& rig) {
  CommandList list;
  for (std::uint32_t i = 0; i < kernels; ++i) list.exec(rig.nothing, Grid{1, 1, 1});
  return rig.device.record(std::move(list));
}

Result<void> replay_block(Rig& rig, const Recording& recording, Samples& samples) {
  for (std::uint32_t i = 0; i <= runs; ++i) {
    const auto start = BenchClock::now();
    PINTLE_ASSIGN(done, rig.queue.replay(recording));
    PINTLE_TRY(done.wait());
    if (i != 0) samples.push_back(nanoseconds_since(start) / kernels);
  }
  return {};
}

void call_block(Samples& samples) {
  const pintle_group group{{0, 0, 0}, {1, 1, 1}, {1, 1, 1}, 0, nullptr};
  const volatile pintle_cpu_kernel held = bench_nothing;  // so that the compiler does not know what it calls
  for (std::uint32_t i = 0; i <= runs; ++i) {
    const pintle_cpu_kernel kernel = held;
    const auto start = BenchClock::now();
    for (std::uint32_t j = 0; j < kernels; ++j) kernel(&group, nullptr);
    if (i != 0) samples.push_back(nanoseconds_since(start) / kernels);
  }
}

}  // namespace

Rows replay_1000(const BenchOptions& options) {
  const Subject subject{"replay_1000",
                        Unit::nanoseconds,
                        "calling the function through a pointer",
                        {Reach::Kind::difference_ns_at_most, 60},
                        Difference::given};
  PINTLE_ASSIGN(rig, Rig::open(options.device));
  if (!rig.unfit.empty()) return one_skip(subject, options, rig.unfit);
  PINTLE_ASSIGN(recording, record(rig));
  const auto reference = [](Samples& samples) -> Result<void> {
    call_block(samples);
    return {};
  };
  return one_row(subject, options, [&](Samples& samples) { return replay_block(rig, recording, samples); }, reference);
}

}  // namespace pintle::bench
