// `pintle bench`: one figure beside its reference.
#include <string>
#include <vector>

#include "bench/report.h"
#include "cli/command.h"

namespace pintle::cli {
namespace {

struct BenchOptionsGiven {
  std::string figure;
  std::string device = "cpu";
  std::size_t pairs = bench::BenchOptions::least_pairs;
};

void declare(CLI::App& command, BenchOptionsGiven& options) {
  std::string names;
  for (const bench::FigureInfo& figure : bench::figures())
    names += (names.empty() ? "" : ", ") + std::string(figure.name);
  command.add_option("NAME", options.figure, "Figure to measure: " + names)->required();
  command.add_option("--device", options.device, "Device to measure");
  command.add_option("--pairs", options.pairs, "Pairs of blocks, ours and the reference by turns");
}

Result<ExitCode> run(const BenchOptionsGiven& options, const Output& output) {
  PINTLE_ASSIGN(rows, bench::run_figure(options.figure, {options.device, options.pairs, {}}));
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
  add_command(app, chosen, "bench", "Measure a figure beside a reference in the same run", declare, run);
}

}  // namespace pintle::cli
