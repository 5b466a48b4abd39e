#include "bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/contain.h"
#include "base/quote.h"
#include "bench/figure.h"
#include "pintle/device.h"
#include "pintle/device_name.h"

namespace pintle::bench {
namespace {

constexpr std::array<FigureInfo, 19> table{{
    {"dispatch_hot",
     "A fresh list of one empty kernel, submitted and waited for; or polled for, so that a worker runs it"},
    {"dispatch_idle", "The same, both sides asleep 1 ms before each trial"},
    {"launch_loop", "One empty kernel, submitted and waited for in a loop, as a list and as a recording"},
    {"submit", "Host cost of submitting one recorded list, in bursts of 100"},
    {"replay_1000", "1,000 empty kernels in one recording, per kernel"},
    {"parallel_saxpy", "y = a x + y at 4 Ki, 64 Ki, 1 Mi and 16 Mi floats"},
    {"copy", "64 MiB from the host to the device and back"},
    {"start", "From process start until the first list is done and the process has ended"},
    {"launch", "One empty kernel, recorded and as a fresh list, beside the API by hand", Reference::api},
    {"recording_1000", "1,000 empty kernels in one recording, per kernel, beside the API by hand", Reference::api},
    {"steps", "200 launches that turn one buffer in place in one list, per launch, beside PJRT by hand",
     Reference::api},
    {"chains", "Independent chains of kernels in one list, beside a barrier after each, and a graph by hand",
     Reference::itself},
    {"transfer_up", "64 MiB to the device, beside the API by hand", Reference::api},
    {"transfer_down", "64 MiB from the device, beside the API by hand", Reference::api},
    {"first_result", "From process start to a result and the end, beside the API by hand", Reference::api},
    {"plan", "Peaks of plans of tight packings beside first fit by size, one a pair; --pairs 200: with 10 s each"},
    {"convert", "64 MiB of f32 to f16, bf16 and fp8 and back, in one thread, beside a memcpy"},
    {"pool", "Memory by queue order: one size and random sizes beside malloc, a trace of 8 threads beside mimalloc"},
    {"feed", "64 MiB of f32 into an arena as f16, beside as much without conversion", Reference::itself},
}};
constexpr std::array<Rows (*)(const BenchOptions&), table.size()> runs{
    dispatch_hot, dispatch_idle, launch_loop,    submit, replay_1000, parallel_saxpy, copy,
    start,        launch,        recording_1000, steps,  chains,      transfer_up,    transfer_down,
    first_result, plan,          convert_dtypes, pool,   feed};
constexpr std::array api_backends{"vulkan", "opencl", "cuda", "hip", "webgpu", "pjrt"};

Error unknown(std::string_view name) {
  std::string names;
  for (const FigureInfo& figure : table) names += fmt::format("{}{}", names.empty() ? "" : ", ", figure.name);
  return {Errc::not_found, fmt::format("Figure {} is none of: {}.", base::quote(name), names)};
}

/// The id for the table: by the device's name, which does not shift when another driver is installed.
Result<std::string> id_by_name(const Device& device) {
  PINTLE_ASSIGN(listed, devices());
  const auto place = std::ranges::find(listed.devices, device.id(), &DeviceInfo::id);
  const auto names = ids_by_name(listed.devices);
  const auto index = static_cast<std::size_t>(place - listed.devices.begin());
  return index < names.size() ? names[index] : std::string(device.id());
}

/// One device that is named; its id is what `best` stands for.
Rows run_on(std::size_t figure, const BenchOptions& options) {
  PINTLE_ASSIGN(device, open(options.device));
  PINTLE_ASSIGN(id, id_by_name(device));
  BenchOptions resolved = options;
  resolved.device = id;
  return runs[figure](resolved);
}

std::string why_absent(const DeviceList& listed, std::string_view backend) {
  for (const Absence& absence : listed.absences) {
    if (absence.backend == backend) return fmt::format("{} {}", absence.reason, absence.next_step);
  }
  return fmt::format("This build has no backend {}.", base::quote(backend));
}

/// Each device of one API, or a row that says why there is none.
Rows run_on_backend(std::size_t figure, const BenchOptions& options, std::string_view backend) {
  PINTLE_ASSIGN(listed, devices());
  std::vector<Row> rows;
  for (const DeviceInfo& device : listed.devices) {
    if (device.backend != backend) continue;
    BenchOptions one = options;
    one.device = device.id;
    PINTLE_ASSIGN(more, run_on(figure, one));
    std::ranges::move(more, std::back_inserter(rows));
  }
  if (!rows.empty()) return rows;
  return one_skip({.name = table[figure].name, .reference = {}, .reach = {}},
                  {backend.data(), options.pairs, options.on_row}, why_absent(listed, backend));
}

Rows run_everywhere(std::size_t figure, const BenchOptions& options) {
  const Reference reference = table[figure].reference;
  std::vector<Row> rows;
  if (reference != Reference::api) {
    BenchOptions on_host = options;
    on_host.device = "cpu";
    PINTLE_ASSIGN(more, run_on(figure, on_host));
    std::ranges::move(more, std::back_inserter(rows));
  }
  if (reference == Reference::host) return rows;
  for (const std::string_view backend : api_backends) {
    PINTLE_ASSIGN(more, run_on_backend(figure, options, backend));
    std::ranges::move(more, std::back_inserter(rows));
  }
  return rows;
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
    const auto figure = static_cast<std::size_t>(place - table.begin());
    auto rows = options.device.empty() ? run_everywhere(figure, options) : run_on(figure, options);
    if (!rows) return rows.error().during(fmt::format("measuring {}", name));
    return rows;
  });
}

}  // namespace pintle::bench
