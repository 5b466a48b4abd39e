// launch and recording_1000: empty kernels, submitted and waited for, beside the same through the device's own API.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "bench/figure.h"
#include "bench/match.h"

namespace pintle::bench {
namespace {

constexpr std::uint32_t batches = 30;
constexpr std::uint32_t batch = 4;  // round trips between two looks at the clock
constexpr std::uint32_t kernels = 1000;
constexpr std::uint32_t replays = 4;

enum class Way : unsigned char { recording, list };

/// A recorded launch is a graph on CUDA, which costs its host less. On Vulkan the reference sleeps in the driver, which
/// is late on cards.
Reach launch_reach(const DeviceInfo& device, Way way) {
  if (device.backend == "cuda") return {Reach::Kind::ratio_at_most, way == Way::recording ? 0.75 : 1.02};
  if (device.backend == "pjrt") return {Reach::Kind::difference_ns_at_most, 500};
  if (device.backend == "webgpu") return {Reach::Kind::ratio_at_most, 1.10};
  if (device.backend == "opencl") return {Reach::Kind::ratio_at_most, 1.05};
  if (device.backend == "vulkan") return {Reach::Kind::ratio_at_most, device.kind == DeviceKind::software ? 1.02 : 0.6};
  return {Reach::Kind::ratio_at_most, 1.15};
}

/// Empty executions of PJRT are no recording: `steps` is its figure.
Reach recording_reach(const DeviceInfo& device) {
  if (device.backend == "pjrt") return {};
  if (device.backend == "cuda") return {Reach::Kind::ratio_at_most, 0.75};  // a graph beside launches, one by one
  return {Reach::Kind::ratio_at_most, device.backend == "webgpu" ? 1.05 : 1.03};
}

CommandList list_of(const Rig& rig, std::uint32_t launches, Edges edges = Edges::none) {
  CommandList list;
  for (std::uint32_t i = 0; i < launches; ++i) {
    list.exec(rig.nothing, Grid{1, 1, 1});
    if (edges == Edges::chain) list.barrier();
  }
  return list;
}

template <class Once>
Result<void> block(Samples& samples, Once once) {
  for (std::uint32_t i = 0; i < 4 * batch; ++i) PINTLE_TRY(once());
  for (std::uint32_t i = 0; i < batches; ++i) {
    const auto start = BenchClock::now();
    for (std::uint32_t j = 0; j < batch; ++j) PINTLE_TRY(once());
    samples.push_back(nanoseconds_since(start) / batch);
  }
  return {};
}

template <class Once>
Result<void> long_block(Samples& samples, Once once) {
  const auto begin = BenchClock::now();
  for (std::uint32_t i = 0; i <= replays && (i < 2 || !has_long_run(begin)); ++i) {
    const auto start = BenchClock::now();
    PINTLE_TRY(once());
    if (i != 0) samples.push_back(nanoseconds_since(start) / kernels);
  }
  return {};
}

Result<void> replay(Rig& rig, const Recording& recording) {
  PINTLE_ASSIGN(done, rig.queue.replay(recording));
  return done.wait();
}

Result<void> run(Direct& direct) {
  PINTLE_TRY(direct.submit());
  return direct.wait();
}

/// The API's other way to record, beside the one that Pintle uses: no row where there is only one.
Rows other_recording(const Match& match, const BenchOptions& options, const Block& by_hand) {
  const Subject subject{"recording_1000_other", Unit::nanoseconds, "recording_1000's reference", {}};
  PINTLE_ASSIGN(target, target_of(match.rig.device.info()));
  PINTLE_ASSIGN(other, open_direct(target));
  const auto recorded = other->record_another_way(kernels);
  if (!recorded && recorded.error().code() == Errc::unsupported) return std::vector<Row>{};
  PINTLE_TRY(recorded);
  return one_row(
      subject, options, [&](Samples& samples) { return long_block(samples, [&] { return run(*other); }); }, by_hand);
}

/// A graph by hand with the edges that the list says. Nodes that stand alone cost a card more than a few chains do.
struct Graph {
  std::string_view name;
  Edges edges;
  double at_most;
};
constexpr std::array graphs{Graph{"recording_1000_chain", Edges::chain, 1.02},
                            Graph{"recording_1000_independent", Edges::none, 0.25}};

Rows beside_graph(Match& match, const BenchOptions& options, const Graph& graph) {
  Subject subject{graph.name, Unit::nanoseconds, "a graph of the API's own with the same edges", {}};
  if (match.rig.device.info().backend == "cuda") subject.reach = {Reach::Kind::ratio_at_most, graph.at_most};
  PINTLE_ASSIGN(recording, match.rig.device.record(list_of(match.rig, kernels, graph.edges)));
  PINTLE_TRY(match.direct->record_graph(kernels, graph.edges));
  return one_row(
      subject, options,
      [&](Samples& samples) { return long_block(samples, [&] { return replay(match.rig, recording); }); },
      [&](Samples& samples) { return long_block(samples, [&] { return run(*match.direct); }); });
}

/// No row where the API has no graphs.
Rows beside_graphs(Match& match, const BenchOptions& options) {
  std::vector<Row> rows;
  if (!has_graphs(match.rig.device.info().backend)) return rows;
  for (const Graph& graph : graphs) {
    PINTLE_ASSIGN(more, beside_graph(match, options, graph));
    std::ranges::move(more, std::back_inserter(rows));
  }
  return rows;
}

}  // namespace

Rows launch(const BenchOptions& options) {
  Subject subject{"launch", Unit::nanoseconds, "the same by hand, prepared before", {}, Difference::given};
  PINTLE_ASSIGN(match, Match::open(options.device));
  if (!match.unfit.empty()) return one_skip(subject, options, match.unfit);
  subject.name = "launch_recording";
  subject.reach = launch_reach(match.rig.device.info(), Way::recording);
  PINTLE_ASSIGN(recording, match.rig.device.record(list_of(match.rig, 1)));
  PINTLE_TRY(match.direct->record(1));
  const Block reference = [&](Samples& samples) { return block(samples, [&] { return run(*match.direct); }); };
  PINTLE_ASSIGN(
      rows,
      one_row(
          subject, options,
          [&](Samples& samples) { return block(samples, [&] { return replay(match.rig, recording); }); }, reference));
  subject.name = "launch_list";
  subject.reach = launch_reach(match.rig.device.info(), Way::list);
  const auto fresh = [&] { return match.rig.queue.submit_and_wait(list_of(match.rig, 1)); };
  PINTLE_ASSIGN(more, one_row(subject, options, [&](Samples& samples) { return block(samples, fresh); }, reference));
  rows.push_back(std::move(more[0]));
  return rows;
}

Rows recording_1000(const BenchOptions& options) {
  Subject subject{"recording_1000", Unit::nanoseconds, "the same by hand, prepared before", {}};
  PINTLE_ASSIGN(match, Match::open(options.device));
  if (!match.unfit.empty()) return one_skip(subject, options, match.unfit);
  subject.reach = recording_reach(match.rig.device.info());
  PINTLE_ASSIGN(recording, match.rig.device.record(list_of(match.rig, kernels)));
  PINTLE_TRY(match.direct->record(kernels));
  const Block by_hand = [&](Samples& samples) { return long_block(samples, [&] { return run(*match.direct); }); };
  PINTLE_ASSIGN(rows,
                one_row(
                    subject, options,
                    [&](Samples& samples) { return long_block(samples, [&] { return replay(match.rig, recording); }); },
                    by_hand));
  PINTLE_ASSIGN(more, other_recording(match, options, by_hand));
  std::ranges::move(more, std::back_inserter(rows));
  PINTLE_ASSIGN(graph_rows, beside_graphs(match, options));
  std::ranges::move(graph_rows, std::back_inserter(rows));
  return rows;
}

}  // namespace pintle::bench
