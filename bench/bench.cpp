#include "bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/contain.h"
#include "base/quote.h"
#include "bench/figure.h"
#include "pintle/device.h"

namespace pintle::bench {
namespace {

constexpr std::array<FigureInfo, 7> table{{
    {"dispatch_hot", "A fresh list of one empty kernel, submitted and waited for, the worker awake"},
    {"dispatch_idle", "The same, both sides asleep 1 ms before each trial"},
    {"submit", "Host cost of submitting one recorded list, in bursts of 100"},
    {"replay_1000", "1,000 empty kernels in one recording, per kernel"},
    {"parallel_saxpy", "y = a x + y at 4 Ki, 64 Ki, 1 Mi and 16 Mi floats"},
    {"copy", "64 MiB from the host to the device and back"},
    {"start", "From process start until the first list is done and the process has ended"},
}};
constexpr std::array<Rows (*)(const BenchOptions&), table.size()> runs{
    dispatch_hot, dispatch_idle, submit, replay_1000, parallel_saxpy, copy, start};

Error unknown(std::string_view name) {
  std::string names;
  for (const FigureInfo& figure : table) names += fmt::format("{}{}", names.empty() ? "" : ", ", figure.name);
  return {Errc::not_found, fmt::format("Figure {} is none of: {}.", base::quote(name), names)};
}

/// The options with the device's canonical id: what `best` stands for.
Result<BenchOptions> resolve(const BenchOptions& options) {
  PINTLE_ASSIGN(device, open(options.device));
  BenchOptions resolved = options;
  resolved.device = device.id();
  return resolved;
}

}  // namespace

std::span<const FigureInfo> figures() noexcept { return table; }

Result<std::vector<Row>> run_figure(std::string_view name, const BenchOptions& options) {
  return base::contain("measuring", [&]() -> Rows {
    const auto place = std::ranges::find(table, name, &FigureInfo::name);
    if (place == table.end()) return unknown(name);
    if (options.pairs < BenchOptions::least_pairs) {
      return Error(Errc::invalid_argument, fmt::format("Pairs ({}) are fewer than the least number ({}).",
                                                       options.pairs, BenchOptions::least_pairs));
    }
    PINTLE_ASSIGN(resolved, resolve(options));
    auto rows = runs[static_cast<std::size_t>(place - table.begin())](resolved);
    if (!rows) return rows.error().during(fmt::format("measuring {}", name));
    return rows;
  });
}

}  // namespace pintle::bench
