// chains: eight independent chains of kernels in one list, beside the same list with a barrier after each launch.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/figure.h"
#include "bench/kernels/turn.h"
#include "bench/rig.h"

namespace pintle::bench {
namespace {

constexpr std::uint32_t chains_in_list = 8;
constexpr std::uint32_t length = 8;
constexpr std::uint32_t rounds = 128;  // about 10 us of one processor for each kernel
constexpr std::uint32_t runs = 10;

enum class Order : unsigned char { by_ranges, one_by_one };

/// One side: a buffer for each chain, and how often all went through the list.
struct Side {
  std::vector<Buffer> buffers;
  Recording recording;
  std::uint64_t ran = 0;
};

/// Side by side: the first launch of each chain, then the second of each.
Result<Side> prepare(Rig& rig, Order order) {
  Side side;
  CommandList zeros, list;
  for (std::uint32_t i = 0; i < chains_in_list; ++i) {
    PINTLE_ASSIGN(buffer, rig.device.allocate(DType::u32, {turn_group}));
    zeros.fill(buffer, std::uint32_t{0});
    side.buffers.push_back(std::move(buffer));
  }
  for (std::uint32_t step = 0; step < length; ++step) {
    for (const Buffer& buffer : side.buffers) {
      list.exec(rig.turn, Grid{1, 1, 1}, buffer, rounds);
      if (order == Order::one_by_one) list.barrier();
    }
  }
  PINTLE_TRY(rig.queue.submit_and_wait(std::move(zeros)));
  PINTLE_ASSIGN(recording, rig.device.record(std::move(list)));
  side.recording = std::move(recording);
  return side;
}

Result<void> block(Rig& rig, Side& side, Samples& samples) {
  const auto begin = BenchClock::now();
  for (std::uint32_t i = 0; i <= runs && (i < 2 || !has_long_run(begin)); ++i) {
    const auto start = BenchClock::now();
    PINTLE_ASSIGN(done, rig.queue.replay(side.recording));
    PINTLE_TRY(done.wait());
    if (i != 0) samples.push_back(nanoseconds_since(start));
    ++side.ran;
  }
  return {};
}

Result<void> check(Rig& rig, const Side& side) {
  const std::uint32_t expected = turned(0, side.ran * length * rounds);
  for (const Buffer& buffer : side.buffers) {
    PINTLE_ASSIGN(values, read<std::uint32_t>(rig.queue, buffer));
    const auto wrong = std::ranges::find_if(values, [&](std::uint32_t value) { return value != expected; });
    if (wrong == values.end()) continue;
    return Error(Errc::internal, fmt::format("Element ({}) of a chain's buffer is ({}) after {} runs, not ({}).",
                                             wrong - values.begin(), *wrong, side.ran, expected));
  }
  return {};
}

}  // namespace

Rows chains(const BenchOptions& options) {
  Subject subject{"chains", Unit::nanoseconds, "the same list with a barrier after each launch", {}};
  PINTLE_ASSIGN(rig, Rig::open(options.device));
  if (!rig.unfit.empty()) return one_skip(subject, options, rig.unfit);
  if (rig.device.info().kind == DeviceKind::cpu) subject.reach = {Reach::Kind::ratio_at_most, 1 / 1.5};
  PINTLE_ASSIGN(ours, prepare(rig, Order::by_ranges));
  PINTLE_ASSIGN(ordered, prepare(rig, Order::one_by_one));
  auto rows = one_row(
      subject, options, [&](Samples& samples) { return block(rig, ours, samples); },
      [&](Samples& samples) { return block(rig, ordered, samples); });
  PINTLE_TRY(check(rig, ours));
  PINTLE_TRY(check(rig, ordered));
  return rows;
}

}  // namespace pintle::bench
