// start: a process that opens the device, runs one list and ends, beside a process that does nothing.
#include "bench/figure.h"
#include "bench/programs.h"
#include "bench/rig.h"

namespace pintle::bench {
namespace {

constexpr std::uint32_t runs = 10;

Result<void> block(const std::vector<std::string>& command, Samples& samples) {
  for (std::uint32_t i = 0; i <= runs; ++i) {
    PINTLE_ASSIGN(elapsed, milliseconds_of(command));
    if (i != 0) samples.push_back(elapsed);
  }
  return {};
}

}  // namespace

Rows start(const BenchOptions& options) {
  const Subject subject{
      "start", Unit::milliseconds, "an empty process", {Reach::Kind::difference_ns_at_most, 3e6}, Difference::given};
  const std::string ours = beside_this_program("bench_start"), empty = beside_this_program("bench_empty");
  if (const std::string why = why_missing({ours, empty}); !why.empty()) return one_skip(subject, options, why);
  PINTLE_ASSIGN(rig, Rig::open(options.device));
  if (!rig.unfit.empty()) return one_skip(subject, options, rig.unfit);
  return one_row(
      subject, options, [&](Samples& samples) { return block({ours, options.device}, samples); },
      [&](Samples& samples) { return block({empty, options.device}, samples); });
}

}  // namespace pintle::bench
