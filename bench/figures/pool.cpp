// pool: allocate and free through a queue, beside malloc and free; and a trace under threads, beside mimalloc.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "base/dylib.h"
#include "bench/figure.h"
#include "bench/pool_trace.h"
#include "pintle/pintle.h"

namespace pintle::bench {
namespace {

/// Keeps the compiler from seeing that memory is not used.
void escape(void* memory) { asm volatile("" : : "g"(memory) : "memory"); }

constexpr std::uint32_t samples_of_block = 20;

/// Nanoseconds for each of `count` rounds of `once`, by the sample; the first sample warms up.
template <class Once>
Result<void> block(Samples& samples, std::uint32_t count, Once once) {
  for (std::uint32_t sample = 0; sample <= samples_of_block; ++sample) {
    const auto start = BenchClock::now();
    for (std::uint32_t i = 0; i < count; ++i) PINTLE_TRY(once());
    if (sample != 0) samples.push_back(nanoseconds_since(start) / count);
  }
  return {};
}

struct Source {
  Device device;
  Queue queue;
  Pool pool;

  static Result<Source> open(const BenchOptions& options) {
    PINTLE_ASSIGN(device, pintle::open(options.device));
    PINTLE_ASSIGN(queue, device.create_queue());
    PINTLE_ASSIGN(pool, Pool::create(device));
    return Source{device, std::move(queue), std::move(pool)};
  }
  Result<Buffer> allocate(std::uint64_t bytes) { return queue.allocate(pool, DType::u8, {bytes}); }
};

Result<Row> one_size(std::uint64_t bytes, const BenchOptions& options) {
  constexpr std::uint32_t count = 1000;
  PINTLE_ASSIGN(source, Source::open(options));
  const auto ours = [&](Samples& samples) {
    return block(samples, count, [&]() -> Result<void> {
      PINTLE_TRY(source.allocate(bytes));  // and it goes back
      return {};
    });
  };
  const auto reference = [&](Samples& samples) {
    return block(samples, count, [&]() -> Result<void> {
      void* const memory = std::malloc(bytes);
      escape(memory);
      std::free(memory);
      return {};
    });
  };
  PINTLE_ASSIGN(measured, contest(options.pairs, ours, reference));
  return make_row({"pool",
                   Unit::nanoseconds,
                   "malloc and free, one size",
                   {Reach::Kind::ratio_at_most, 3},
                   Difference::omitted,
                   bytes},
                  options.device, measured);
}

/// Random sizes, and the places that they go to.
std::vector<TraceStep> mixed_steps() {
  constexpr std::uint64_t least = 4 << 10, most = 16 << 20;
  std::mt19937_64 random(5);
  std::vector<TraceStep> steps(4096);
  for (TraceStep& step : steps)
    step = {static_cast<std::uint32_t>(random() % 256), least + random() % (most - least + 1)};
  return steps;
}

Result<Row> mixed(const BenchOptions& options) {
  const std::vector<TraceStep> steps = mixed_steps();
  const auto count = static_cast<std::uint32_t>(steps.size());
  PINTLE_ASSIGN(source, Source::open(options));
  std::vector<Buffer> buffers(256);
  std::vector<void*> memories(256);
  const auto ours = [&](Samples& samples) {
    std::size_t next = 0;
    return block(samples, count, [&]() -> Result<void> {
      const TraceStep& step = steps[next++ % count];
      buffers[step.place] = {};
      PINTLE_ASSIGN(buffer, source.allocate(step.bytes));
      buffers[step.place] = std::move(buffer);
      return {};
    });
  };
  const auto reference = [&](Samples& samples) {
    std::size_t next = 0;
    return block(samples, count, [&]() -> Result<void> {
      const TraceStep& step = steps[next++ % count];
      std::free(memories[step.place]);
      memories[step.place] = std::malloc(step.bytes);
      escape(memories[step.place]);
      return {};
    });
  };
  auto measured = contest(options.pairs, ours, reference);
  for (void* memory : memories) std::free(memory);
  if (!measured) return measured.error();
  return make_row(
      {"pool", Unit::nanoseconds, "free and malloc, 4 KiB to 16 MiB, 256 live", {Reach::Kind::ratio_at_most, 1}},
      options.device, *measured);
}

constexpr std::size_t threads = 8, queues = 4, requests = 300;

/// Nanoseconds of a step when every thread runs its trace; `run(thread, trace)`.
template <class Run>
Result<void> together(Samples& samples, std::span<const PoolTrace> traces, Run run) {
  for (int sample = 0; sample <= 3; ++sample) {
    BenchClock::time_point begin;
    std::barrier start(threads, [&]() noexcept { begin = BenchClock::now(); });
    std::array<Result<void>, threads> ended;
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
      workers.emplace_back([&, i] {
        start.arrive_and_wait();
        ended[i] = run(i, traces[i]);
      });
    }
    workers.clear();  // waits for them
    std::size_t steps = 0;
    for (const PoolTrace& trace : traces) steps += trace.steps.size();
    if (sample != 0) samples.push_back(nanoseconds_since(begin) / static_cast<double>(steps));
    for (const auto& each : ended) PINTLE_TRY(each);
  }
  return {};
}

struct MiMalloc {
  base::Dylib library;
  void* (*allocate)(std::size_t) = nullptr;
  void (*free)(void*) = nullptr;

  static Result<MiMalloc> open() {
    constexpr std::array names{"libmimalloc.so.2", "libmimalloc.so.2.0", "libmimalloc.so"};
    PINTLE_ASSIGN(library, base::Dylib::open_any(names));
    PINTLE_ASSIGN(allocate, library.function<void*(std::size_t)>("mi_malloc"));
    PINTLE_ASSIGN(free, library.function<void(void*)>("mi_free"));
    return MiMalloc{std::move(library), allocate, free};
  }
};

Result<Row> threaded(const BenchOptions& options) {
  constexpr std::string_view name = "mimalloc, 8 threads on 4 queues";
  const Subject subject{"pool", Unit::nanoseconds, name, {Reach::Kind::ratio_at_most, 1 / 0.8}};
  const auto peer = MiMalloc::open();
  if (!peer) return skipped_row(subject, options.device, std::string(peer.error().message()));
  std::vector<PoolTrace> traces;
  for (std::size_t i = 0; i < threads; ++i) traces.push_back(activations(i + 1, requests));
  PINTLE_ASSIGN(device, pintle::open(options.device));
  PINTLE_ASSIGN(pool, Pool::create(device));
  std::vector<Queue> all;
  for (std::size_t i = 0; i < queues; ++i) {
    PINTLE_ASSIGN(queue, device.create_queue());
    all.push_back(std::move(queue));
  }
  const auto ours = [&](std::size_t thread, const PoolTrace& trace) -> Result<void> {
    std::vector<Buffer> places(trace.places);
    for (const TraceStep& step : trace.steps) {
      places[step.place] = {};
      if (step.bytes == 0) continue;
      PINTLE_ASSIGN(buffer, all[thread % queues].allocate(pool, DType::u8, {step.bytes}));
      places[step.place] = std::move(buffer);
    }
    return {};
  };
  const auto theirs = [&](std::size_t, const PoolTrace& trace) -> Result<void> {
    std::vector<void*> places(trace.places);
    for (const TraceStep& step : trace.steps) {
      peer->free(places[step.place]);
      places[step.place] = step.bytes == 0 ? nullptr : peer->allocate(step.bytes);
      escape(places[step.place]);
    }
    return {};
  };
  PINTLE_ASSIGN(measured, contest(
                              options.pairs, [&](Samples& samples) { return together(samples, traces, ours); },
                              [&](Samples& samples) { return together(samples, traces, theirs); }));
  const PoolStatistics end = pool.statistics();
  const std::string words = fmt::format("{}; held {:.2f} times the most in use", name,
                                        static_cast<double>(end.high_held) / static_cast<double>(end.high_water));
  return make_row({"pool", Unit::nanoseconds, words, subject.reach}, options.device, measured);
}

}  // namespace

Rows pool(const BenchOptions& options) {
  std::vector<Row> rows;
  const auto keep = [&](Row row) {
    if (options.on_row) options.on_row(row);
    rows.push_back(std::move(row));
  };
  for (const std::uint64_t bytes : {4ull << 10, 64ull << 10, 1ull << 20}) {
    PINTLE_ASSIGN(row, one_size(bytes, options));
    keep(std::move(row));
  }
  PINTLE_ASSIGN(row, mixed(options));
  keep(std::move(row));
  PINTLE_ASSIGN(with_threads, threaded(options));
  keep(std::move(with_threads));
  return rows;
}

}  // namespace pintle::bench
