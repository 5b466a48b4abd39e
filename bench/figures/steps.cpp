// steps: a buffer that 200 launches turn in place, beside the same through the device's own API.
#include <algorithm>
#include <utility>

#include "bench/figure.h"
#include "bench/kernels/turn.h"
#include "bench/match.h"

namespace pintle::bench {
namespace {

constexpr std::uint32_t launches = 200;
constexpr std::uint32_t rounds = 1;
constexpr std::uint32_t runs = 8;

template <class Once>
Result<void> block(Samples& samples, Once once) {
  for (std::uint32_t i = 0; i <= runs; ++i) {
    const auto start = BenchClock::now();
    PINTLE_TRY(once());
    if (i != 0) samples.push_back(nanoseconds_since(start) / launches);
  }
  return {};
}

Result<void> check(std::span<const std::uint32_t> values, std::uint64_t runs_before, std::string_view side) {
  const std::uint32_t expected = turned(0, runs_before * launches * rounds);
  if (std::ranges::all_of(values, [&](std::uint32_t value) { return value == expected; })) return {};
  return Error(Errc::internal, std::string("The values on ") + std::string(side) + " are not those of as many steps.");
}

}  // namespace

Rows steps(const BenchOptions& options) {
  const Subject subject{
      "steps", Unit::nanoseconds, "the same by hand, prepared before", {Reach::Kind::ratio_at_most, 1.05}};
  PINTLE_ASSIGN(match, Match::open(options.device));
  if (!match.unfit.empty()) return one_skip(subject, options, match.unfit);
  if (const auto prepared = match.direct->record_steps(launches, rounds); !prepared) {
    if (prepared.error().code() == Errc::unsupported) return one_skip(subject, options, prepared.error().text());
    return prepared.error();
  }
  Rig& rig = match.rig;
  PINTLE_ASSIGN(values, rig.device.allocate(DType::u32, {turn_group}));
  PINTLE_TRY(rig.queue.submit_and_wait(CommandList{}.fill(values, 0U)));
  CommandList list;
  for (std::uint32_t i = 0; i < launches; ++i) list.exec(rig.turn, Grid{1, 1, 1}, values, rounds);
  PINTLE_ASSIGN(recording, rig.device.record(std::move(list)));
  std::uint64_t ours = 0, theirs = 0;
  auto rows = one_row(
      subject, options,
      [&](Samples& samples) {
        return block(samples, [&]() -> Result<void> {
          ++ours;
          PINTLE_ASSIGN(done, rig.queue.replay(recording));
          return done.wait();
        });
      },
      [&](Samples& samples) {
        return block(samples, [&]() -> Result<void> {
          ++theirs;
          PINTLE_TRY(match.direct->submit());
          return match.direct->wait();
        });
      });
  std::vector<std::uint32_t> found(turn_group);
  PINTLE_TRY(rig.queue.submit_and_wait(CommandList{}.download(std::as_writable_bytes(std::span(found)), values)));
  PINTLE_TRY(check(found, ours, "our side"));
  PINTLE_TRY(match.direct->download(std::as_writable_bytes(std::span(found))));
  PINTLE_TRY(check(found, theirs, "the reference's side"));
  return rows;
}

}  // namespace pintle::bench
