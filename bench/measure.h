// Measuring in pairs of blocks: ours and the reference by turns, so that whatever drifts, drifts for both.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/row.h"
#include "pintle/error.h"

namespace pintle::bench {

/// What one block saw, in the row's unit.
using Samples = std::vector<double>;
/// Warms up, then adds its samples.
using Block = std::function<Result<void>(Samples& samples)>;

/// Every sample of both sides, and the pairs of the blocks' medians.
struct Contest {
  Samples ours;
  Samples reference;
  std::vector<Pair> pairs;
};

/// Before each block every other thread of the process has gone to sleep. The order within the pairs alternates.
[[nodiscard]] Result<Contest> contest(std::size_t pairs, const Block& ours, const Block& reference);

enum class Unit : unsigned char { nanoseconds, milliseconds, gigabytes_per_second, times };
enum class Difference : unsigned char { omitted, given };

/// What a row says beside its numbers.
struct Subject {
  std::string_view name;
  Unit unit = Unit::nanoseconds;
  std::string_view reference;
  Reach reach;
  Difference difference = Difference::omitted;
  std::optional<std::uint64_t> size{};
};

[[nodiscard]] Row make_row(const Subject& subject, std::string_view device, const Contest& contest);
[[nodiscard]] Row skipped_row(const Subject& subject, std::string_view device, std::string reason);

using BenchClock = std::chrono::steady_clock;
[[nodiscard]] inline double nanoseconds_since(BenchClock::time_point start) {
  return std::chrono::duration<double, std::nano>(BenchClock::now() - start).count();
}

/// A block of slow runs ends early, behind its first sample.
[[nodiscard]] inline bool has_long_run(BenchClock::time_point start) { return nanoseconds_since(start) > 250e6; }

}  // namespace pintle::bench
