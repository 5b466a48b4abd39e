// first_result: a process that opens the device, loads a pack, computes and ends, beside one that does so by hand.
#include <fmt/format.h>

#include "base/temporary_folder.h"
#include "bench/figure.h"
#include "bench/match.h"
#include "bench/programs.h"

namespace pintle::bench {
namespace {

constexpr std::uint32_t runs = 3;

/// Both programs check their result and fail where it is wrong.
Result<void> block(const std::vector<std::string>& command, Samples& samples) {
  const auto begin = BenchClock::now();
  for (std::uint32_t i = 0; i < runs && (i == 0 || !has_long_run(begin)); ++i) {
    PINTLE_ASSIGN(elapsed, milliseconds_of(command));
    samples.push_back(elapsed);
  }
  return {};
}

}  // namespace

Rows first_result(const BenchOptions& options) {
  const Subject subject{
      "first_result", Unit::milliseconds, "a program that does it by hand", {Reach::Kind::ratio_at_most, 1.1}};
  const std::string ours = beside_this_program("bench_first_result");
  const std::string by_hand = beside_this_program("bench_first_result_direct");
  if (const std::string why = why_missing({ours, by_hand}); !why.empty()) return one_skip(subject, options, why);
  PINTLE_ASSIGN(match, Match::open(options.device));
  if (!match.unfit.empty()) return one_skip(subject, options, match.unfit);
  PINTLE_ASSIGN(target, target_of(match.rig.device.info()));
  PINTLE_ASSIGN(folder, base::TemporaryFolder::create());
  const std::vector<std::string> our_command{ours, options.device};
  const std::vector<std::string> other_command{
      by_hand, target.backend, target.name, target.mark, fmt::to_string(target.before), folder / ""};
  match = {};                                // neither program shares the machine with this one's threads
  PINTLE_TRY(milliseconds_of(our_command));  // fills both caches
  PINTLE_TRY(milliseconds_of(other_command));
  return one_row(
      subject, options, [&](Samples& samples) { return block(our_command, samples); },
      [&](Samples& samples) { return block(other_command, samples); });
}

}  // namespace pintle::bench
