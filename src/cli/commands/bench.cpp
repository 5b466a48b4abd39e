// `pintle bench NAME`: one figure beside its reference, measured in the same run; `pintle bench collective` below it.
#include "bench/bench.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/report.h"
#include "cli/collective_command.h"
#include "cli/command.h"
#include "cli/last_words.h"
#include "cli/table.h"

namespace pintle::cli {
namespace {

struct BenchGiven {
  std::string name;
  std::string device;
  std::size_t pairs = bench::BenchOptions::least_pairs;
};

std::string figure_list() {
  std::vector<std::vector<std::string>> rows;
  for (const bench::FigureInfo& figure : bench::figures())
    rows.push_back({"  " + std::string(figure.name), std::string(figure.text)});
  return "Figures:\n" + table(rows);
}

void declare(CLI::App& command, BenchGiven& options) {
  command.add_option("NAME", options.name, "The figure to measure");
  command.add_option("--device", options.device, "Device to measure; without it, those that the figure is for");
  whole<std::size_t>(
      command.add_option("--pairs", options.pairs, "Pairs of alternating blocks, ours and the reference"));
  command.footer(figure_list());
}

std::string row_words(const bench::Row& row) {
  const auto subject =
      fmt::format("{} on {}{}", row.name, row.device, row.size ? fmt::format(", size {}", *row.size) : "");
  if (!row.skipped.empty()) return fmt::format("{}: skipped. {}", subject, row.skipped);
  return fmt::format("{}: {:.6g} {}, {:.4g} times {}", subject, row.p50, row.unit, row.ratio.median, row.reference);
}

/// A row takes seconds to minutes, and the table comes at the end, so each row is told as soon as it is there.
Result<ExitCode> run(const BenchGiven& options, const Output& output) {
  const std::string on = options.device.empty() ? "each device that it is for" : options.device;
  output.words(fmt::format("Measuring {} on {}, {} pairs a row.", options.name, on, options.pairs));
  const Doing doing(fmt::format("measuring {}", base::quote(options.name)));
  const auto tell = [&](const bench::Row& row) { output.words(row_words(row)); };
  PINTLE_ASSIGN(rows, bench::run_figure(options.name, {options.device, options.pairs, tell}));
  if (!output.is_json()) {
    output.text(bench::table(rows));
    return ExitCode::ok;
  }
  Json json = Json::array();
  for (const bench::Row& row : rows) json.push_back(bench::to_json(row));
  output.json(json);
  return ExitCode::ok;
}

}  // namespace

void add_bench(CLI::App& app, Chosen& chosen) {
  CLI::App& command =
      add_command(app, chosen, "bench", "Measure a figure beside a reference in the same run", declare, run);
  CLI::App& collective = add_bench_collective(command, chosen);
  for (const char* const option : {"NAME", "--device", "--pairs"}) collective.excludes(command.get_option(option));
  command.parse_complete_callback([&command] {  // a required NAME would take the word `collective`
    if (command.get_subcommands().empty() && command.count("NAME") == 0) throw CLI::RequiredError("NAME");
  });
}

}  // namespace pintle::cli
