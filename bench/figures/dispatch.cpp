// dispatch_hot, dispatch_idle and launch_loop: one empty kernel, there and back.
#include <thread>
#include <utility>

#include "bench/figure.h"
#include "bench/ping_pong.h"
#include "bench/processors.h"
#include "bench/rig.h"

namespace pintle::bench {
namespace {

constexpr std::uint32_t hot_batches = 100;
constexpr std::uint32_t hot_batch = 8;  // round trips between two looks at the clock
constexpr std::uint32_t idle_trials = 20;
constexpr std::uint32_t loop_rounds = 1000;

Result<void> dispatch(Rig& rig) {
  CommandList list;
  list.exec(rig.nothing, Grid{1, 1, 1});
  return rig.queue.submit_and_wait(std::move(list));
}

/// A thread that only asks does not count as one that waits: a worker runs the kernel.
Result<void> dispatch_polled(Rig& rig) {
  CommandList list;
  list.exec(rig.nothing, Grid{1, 1, 1});
  PINTLE_ASSIGN(done, rig.queue.submit(std::move(list)));
  for (;;) {
    PINTLE_ASSIGN(is_reached, done.is_reached());
    if (is_reached) return {};
  }
}

// Pinned like the reference: a scheduler that puts both threads on one processor is not what is measured here.
template <Result<void> (*once)(Rig&)>
Result<void> hot_block(Rig& rig, int processor, Samples& samples) {
  const Pinned pinned(processor);
  for (int i = 0; i < 100; ++i) PINTLE_TRY(once(rig));
  for (std::uint32_t batch = 0; batch < hot_batches; ++batch) {
    const auto start = BenchClock::now();
    for (std::uint32_t i = 0; i < hot_batch; ++i) PINTLE_TRY(once(rig));
    samples.push_back(nanoseconds_since(start) / hot_batch);
  }
  return {};
}

Result<void> idle_block(Rig& rig, int /*processor*/, Samples& samples) {
  for (int i = 0; i < 2; ++i) PINTLE_TRY(dispatch(rig));
  for (std::uint32_t trial = 0; trial < idle_trials; ++trial) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto start = BenchClock::now();
    PINTLE_TRY(dispatch(rig));
    samples.push_back(nanoseconds_since(start));
  }
  return {};
}

enum class LoopKind : unsigned char { list, recording };

// Nothing is pinned, and nothing happens before the block, as in a user's loop: where threads get in each other's way,
// they do so for a whole block.
Result<void> loop_block(Rig& rig, LoopKind kind, Samples& samples) {
  PINTLE_ASSIGN(recording, rig.device.record(CommandList{}.exec(rig.nothing, Grid{1, 1, 1})));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (std::uint32_t round = 0; round < loop_rounds; ++round) {
    const auto start = BenchClock::now();
    if (kind == LoopKind::list) {
      PINTLE_TRY(dispatch(rig));
    } else {
      PINTLE_ASSIGN(done, rig.queue.replay(recording));
      PINTLE_TRY(done.wait());
    }
    samples.push_back(nanoseconds_since(start));
  }
  return {};
}

using OursBlock = Result<void> (*)(Rig& rig, int processor, Samples& samples);
using ReferenceBlock = void (*)(PingPong& pair, Samples& samples);

Rows against_ping_pong(const Subject& subject, const BenchOptions& options, OursBlock ours, ReferenceBlock reference) {
  const auto processors = two_processors();
  if (!processors)
    return one_skip(subject, options, "the reference needs two processors, and this process may use one");
  PINTLE_ASSIGN(rig, Rig::open(options.device));
  if (!rig.unfit.empty()) return one_skip(subject, options, rig.unfit);
  if (!rig.has_workers())
    return one_skip(subject, options, "the device is driven by the calling thread: there is no worker to wake");
  PingPong pair(*processors);
  const auto run_reference = [&](Samples& samples) -> Result<void> {
    reference(pair, samples);
    return {};
  };
  return one_row(
      subject, options, [&](Samples& samples) { return ours(rig, processors->front(), samples); }, run_reference);
}

}  // namespace

Rows dispatch_hot(const BenchOptions& options) {
  Subject subject{"dispatch_hot",
                  Unit::nanoseconds,
                  "round trip of an atomic between two pinned threads",
                  {Reach::Kind::ratio_at_most, 3.5}};
  const auto reference = [](PingPong& pair, Samples& samples) { pair.hot(samples, hot_batches, hot_batch); };
  PINTLE_ASSIGN(rows, against_ping_pong(subject, options, hot_block<dispatch>, reference));
  subject.name = "dispatch_hot_worker";
  PINTLE_ASSIGN(more, against_ping_pong(subject, options, hot_block<dispatch_polled>, reference));
  rows.push_back(std::move(more[0]));
  return rows;
}

Rows dispatch_idle(const BenchOptions& options) {
  const Subject subject{"dispatch_idle",
                        Unit::nanoseconds,
                        "round trip by std::atomic::wait and notify, both asleep 1 ms before",
                        {Reach::Kind::ratio_at_most, 1.5}};
  return against_ping_pong(subject, options, idle_block,
                           [](PingPong& pair, Samples& samples) { pair.idle(samples, idle_trials); });
}

Rows launch_loop(const BenchOptions& options) {
  PINTLE_ASSIGN(rig, Rig::open(options.device));
  PINTLE_ASSIGN(inlined, Rig::open("cpu?inline"));
  std::vector<Row> rows;
  for (const LoopKind kind : {LoopKind::list, LoopKind::recording}) {
    const bool is_list = kind == LoopKind::list;
    const Subject subject{is_list ? "launch_loop" : "launch_loop_recording",
                          Unit::nanoseconds,
                          "the same on cpu?inline",
                          {Reach::Kind::worst_ns_at_most, is_list ? 500.0 : 300.0}};
    if (!rig.unfit.empty()) return one_skip(subject, options, rig.unfit);
    PINTLE_ASSIGN(more, one_row(
                            subject, options, [&](Samples& samples) { return loop_block(rig, kind, samples); },
                            [&](Samples& samples) { return loop_block(inlined, kind, samples); }));
    rows.push_back(std::move(more[0]));
  }
  return rows;
}

}  // namespace pintle::bench
