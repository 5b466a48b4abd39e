// chains: eight independent chains of kernels in one list, beside the same list with a barrier after each launch, and
// beside a graph by hand where the API has graphs.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "bench/figure.h"
#include "bench/kernels/turn.h"
#include "bench/match.h"

namespace pintle::bench {
namespace {

constexpr std::uint32_t runs = 10;

/// Chains side by side, of so many launches each.
struct Chains {
  std::uint32_t chains = 0, length = 0, rounds = 0;
};
constexpr Chains few{8, 8, 128};            // about 10 us of one processor for each kernel
constexpr Chains independent{64, 1, 8000};  // about 20 us of a card for each kernel

enum class Order : unsigned char { by_ranges, one_by_one };

/// One side: a buffer for each chain, and how often all went through the list.
struct Side {
  Chains shape;
  std::vector<Buffer> buffers;
  Recording recording;
  std::uint64_t ran = 0;
};

/// Side by side: the first launch of each chain, then the second of each.
Result<Side> prepare(Rig& rig, const Chains& shape, Order order) {
  Side side;
  side.shape = shape;
  CommandList zeros, list;
  for (std::uint32_t i = 0; i < shape.chains; ++i) {
    PINTLE_ASSIGN(buffer, rig.device.allocate(DType::u32, {turn_group}));
    zeros.fill(buffer, std::uint32_t{0});
    side.buffers.push_back(std::move(buffer));
  }
  for (std::uint32_t step = 0; step < shape.length; ++step) {
    for (const Buffer& buffer : side.buffers) {
      list.exec(rig.turn, Grid{1, 1, 1}, buffer, shape.rounds);
      if (order == Order::one_by_one) list.barrier();
    }
  }
  PINTLE_TRY(rig.queue.submit_and_wait(std::move(zeros)));
  PINTLE_ASSIGN(recording, rig.device.record(std::move(list)));
  side.recording = std::move(recording);
  return side;
}

template <class Once>
Result<void> block(std::uint64_t& ran, Samples& samples, Once once) {
  const auto begin = BenchClock::now();
  for (std::uint32_t i = 0; i <= runs && (i < 2 || !has_long_run(begin)); ++i) {
    const auto start = BenchClock::now();
    PINTLE_TRY(once());
    if (i != 0) samples.push_back(nanoseconds_since(start));
    ++ran;
  }
  return {};
}

Block block_of(Rig& rig, Side& side) {
  return [&](Samples& samples) {
    return block(side.ran, samples, [&]() -> Result<void> {
      PINTLE_ASSIGN(done, rig.queue.replay(side.recording));
      return done.wait();
    });
  };
}

Result<void> check(std::span<const std::uint32_t> values, const Chains& shape, std::uint64_t ran) {
  const std::uint32_t expected = turned(0, ran * shape.length * shape.rounds);
  const auto wrong = std::ranges::find_if(values, [&](std::uint32_t value) { return value != expected; });
  if (wrong == values.end()) return {};
  return Error(Errc::internal, fmt::format("Element ({}) of a chain's buffer is ({}) after {} runs, not ({}).",
                                           wrong - values.begin(), *wrong, ran, expected));
}

Result<void> check(Rig& rig, const Side& side) {
  for (const Buffer& buffer : side.buffers) {
    PINTLE_ASSIGN(values, read<std::uint32_t>(rig.queue, buffer));
    PINTLE_TRY(check(values, side.shape, side.ran));
  }
  return {};
}

/// The same chains in a graph that is made by hand.
Rows beside_graph(Rig& rig, Side& ours, Direct& direct, const Subject& subject, const BenchOptions& options) {
  PINTLE_TRY(direct.record_chains(ours.shape.chains, ours.shape.length, ours.shape.rounds));
  std::uint64_t ran = 0;
  const Block by_hand = [&](Samples& samples) {
    return block(ran, samples, [&]() -> Result<void> {
      PINTLE_TRY(direct.submit());
      return direct.wait();
    });
  };
  auto rows = one_row(subject, options, block_of(rig, ours), by_hand);
  std::vector<std::uint32_t> values(ours.shape.chains * turn_group);
  PINTLE_TRY(direct.download(std::as_writable_bytes(std::span(values))));
  PINTLE_TRY(check(values, ours.shape, ran));
  return rows;
}

/// No row where the API has no graphs.
Rows beside_graphs(Rig& rig, Side& ours, const BenchOptions& options) {
  const DeviceInfo info = rig.device.info();
  if (!has_graphs(info.backend)) return std::vector<Row>{};
  PINTLE_ASSIGN(target, target_of(info));
  PINTLE_ASSIGN(direct, open_direct(target));
  constexpr std::string_view reference = "the same chains as a graph of the API's own";
  const Reach reach = info.backend == "cuda" ? Reach{Reach::Kind::ratio_at_most, 1.05} : Reach{};
  PINTLE_ASSIGN(rows, beside_graph(rig, ours, *direct, {"chains_graph", Unit::nanoseconds, reference, {}}, options));
  PINTLE_ASSIGN(alone, prepare(rig, independent, Order::by_ranges));
  PINTLE_ASSIGN(more,
                beside_graph(rig, alone, *direct, {"independent_64", Unit::nanoseconds, reference, reach}, options));
  std::ranges::move(more, std::back_inserter(rows));
  PINTLE_TRY(check(rig, alone));
  return rows;
}

}  // namespace

Rows chains(const BenchOptions& options) {
  Subject subject{"chains", Unit::nanoseconds, "the same list with a barrier after each launch", {}};
  PINTLE_ASSIGN(rig, Rig::open(options.device));
  if (!rig.unfit.empty()) return one_skip(subject, options, rig.unfit);
  if (rig.device.info().kind == DeviceKind::cpu) subject.reach = {Reach::Kind::ratio_at_most, 1 / 1.5};
  PINTLE_ASSIGN(ours, prepare(rig, few, Order::by_ranges));
  PINTLE_ASSIGN(ordered, prepare(rig, few, Order::one_by_one));
  PINTLE_ASSIGN(rows, one_row(subject, options, block_of(rig, ours), block_of(rig, ordered)));
  PINTLE_ASSIGN(more, beside_graphs(rig, ours, options));
  std::ranges::move(more, std::back_inserter(rows));
  PINTLE_TRY(check(rig, ours));
  PINTLE_TRY(check(rig, ordered));
  return rows;
}

}  // namespace pintle::bench
