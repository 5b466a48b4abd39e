// parallel_saxpy: y = a x + y at four sizes, a replay and a wait for each run.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/figure.h"
#include "bench/open_mp.h"
#include "bench/rig.h"

namespace pintle::bench {
namespace {

/// Every run adds this to each element of y, since x is 1: exact in f32 for millions of runs.
constexpr float step = 1.0f / 1024;

struct Load {
  std::uint64_t count = 0;
  std::uint32_t samples = 0;
  std::uint32_t batch = 0;  ///< Runs between two looks at the clock.

  /// Two reads and a write for each element.
  [[nodiscard]] double gigabytes_per_second(double nanoseconds) const {
    return 12.0 * static_cast<double>(count) * batch / nanoseconds;
  }
};
constexpr Load loads[]{{4 << 10, 50, 40}, {64 << 10, 50, 10}, {1 << 20, 20, 1}, {16 << 20, 4, 1}};

/// Runs `once` in batches after a first run that is not counted; `ran` counts them all.
template <class Once>
Result<void> block(const Load& load, Samples& samples, std::uint64_t& ran, Once once) {
  PINTLE_TRY(once());
  for (std::uint32_t i = 0; i < load.samples; ++i) {
    const auto start = BenchClock::now();
    for (std::uint32_t j = 0; j < load.batch; ++j) PINTLE_TRY(once());
    samples.push_back(load.gigabytes_per_second(nanoseconds_since(start)));
  }
  ran += 1 + std::uint64_t{load.samples} * load.batch;
  return {};
}

Result<void> check(const std::vector<float>& y, std::uint64_t ran, std::string_view side) {
  const float expected = step * static_cast<float>(ran);
  const auto wrong = std::ranges::find_if(y, [&](float value) { return value != expected; });
  if (wrong == y.end()) return {};
  return Error(Errc::internal, fmt::format("Element ({}) of {} is ({}) after {} runs of saxpy, not ({}).",
                                           wrong - y.begin(), side, *wrong, ran, expected));
}

/// Our side: buffers, and one recorded launch over them.
struct Saxpy {
  Buffer x, y;
  Recording recording;
};

Result<Saxpy> prepare(Rig& rig, const Kernel& saxpy, std::uint64_t count) {
  PINTLE_ASSIGN(x, rig.device.allocate(DType::f32, {count}));
  PINTLE_ASSIGN(y, rig.device.allocate(DType::f32, {count}));
  PINTLE_TRY(rig.queue.submit_and_wait(CommandList{}.fill(x, 1.0f).fill(y, 0.0f)));
  CommandList list;
  list.exec(saxpy, Grid::cover(count), step, x, y, static_cast<std::uint32_t>(count));
  PINTLE_ASSIGN(recording, rig.device.record(std::move(list)));
  return Saxpy{std::move(x), std::move(y), std::move(recording)};
}

Result<Row> measure(const Subject& subject, const BenchOptions& options, Rig& rig, const Kernel& saxpy,
                    const Load& load) {
  PINTLE_ASSIGN(ours, prepare(rig, saxpy, load.count));
  const std::vector<float> x(load.count, 1.0f);
  std::vector<float> y(load.count);
  std::uint64_t ours_ran = 0, reference_ran = 0;
  const auto replay = [&]() -> Result<void> {
    PINTLE_ASSIGN(done, rig.queue.replay(ours.recording));
    return done.wait();
  };
  const auto open_mp_loop = [&]() -> Result<void> {
    open_mp()->saxpy(step, x.data(), y.data(), y.size());
    return {};
  };
  PINTLE_ASSIGN(measured, contest(
                              options.pairs, [&](Samples& samples) { return block(load, samples, ours_ran, replay); },
                              [&](Samples& samples) { return block(load, samples, reference_ran, open_mp_loop); }));
  PINTLE_ASSIGN(result, read<float>(rig.queue, ours.y));
  PINTLE_TRY(check(result, ours_ran, "our buffer"));
  PINTLE_TRY(check(y, reference_ran, "the reference's array"));
  return make_row(subject, options.device, measured);
}

}  // namespace

Rows parallel_saxpy(const BenchOptions& options) {
  Subject subject{
      "parallel_saxpy", Unit::gigabytes_per_second, "OpenMP parallel for", {Reach::Kind::ratio_at_least, 0.95}};
  if (open_mp() == nullptr) return one_skip(subject, options, "this build has no OpenMP: the reference is missing");
  subject.reference = open_mp()->name;
  PINTLE_ASSIGN(rig, Rig::open(options.device));
  if (!rig.unfit.empty()) return one_skip(subject, options, rig.unfit);
  const auto saxpy = rig.load_saxpy();
  if (!saxpy) return one_skip(subject, options, saxpy.error().text());
  std::vector<Row> rows;
  for (const Load& load : loads) {
    subject.size = load.count;
    PINTLE_ASSIGN(row, measure(subject, options, rig, *saxpy, load));
    if (options.on_row) options.on_row(row);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace pintle::bench
