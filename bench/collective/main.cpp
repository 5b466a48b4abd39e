// `mpirun -n R bench_collective`: Pintle's collectives beside MPI's, Gloo's and the machine's memcpy, in one run.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>

#include "bench/collective/figures.h"

namespace pintle::bench {
namespace {

struct CollectiveGiven {
  std::vector<std::string> figures;
  std::size_t pairs = BenchOptions::least_pairs;
  bool is_json = false;
};

/// Pintle over MPI needs a level of threads that makes MPI itself slower: such figures are measured in a job of their
/// own.
bool needs_threads(const CollectiveFigure& figure) { return figure.transport == "mpi"; }

ThreadLevel level_for(const CollectiveGiven& given) {
  const auto figures = collective_figures();
  const bool is_needed = !given.figures.empty() && std::ranges::all_of(given.figures, [&](const std::string& name) {
    return std::ranges::any_of(figures,
                               [&](const auto& figure) { return figure.name == name && needs_threads(figure); });
  });
  return is_needed ? ThreadLevel::multiple : ThreadLevel::funneled;
}

void declare(CLI::App& app, CollectiveGiven& given) {
  std::vector<std::string> names;
  for (const CollectiveFigure& figure : collective_figures()) names.emplace_back(figure.name);
  names.emplace_back(ring_bytes_name);
  app.add_option("--figure", given.figures, "Figures; without it, all of this number of ranks")
      ->check(CLI::IsMember(names));
  app.add_option("--pairs", given.pairs, "Pairs of alternating blocks")
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
      ->capture_default_str();
  app.add_flag("--json", given.is_json, "Print JSON");
}

bool is_chosen(const CollectiveGiven& given, std::string_view name) {
  return given.figures.empty() || std::ranges::find(given.figures, name) != given.figures.end();
}

Result<DuelRow> run_one(const Job& job, const CollectiveGiven& given, const CollectiveFigure& figure) {
  if (!needs_threads(figure) || level_for(given) == ThreadLevel::multiple)
    return run_collective_figure(job, figure, given.pairs);
  DuelRow row;
  row.figure = figure.name;
  row.reference = figure.reference;
  row.ranks = figure.ranks;
  row.bytes = figure.bytes;
  row.skipped = fmt::format("it needs MPI_THREAD_MULTIPLE, in a job of its own (--figure {})", figure.name);
  return row;
}

Result<std::vector<DuelRow>> run_all(const Job& job, const CollectiveGiven& given) {
  PINTLE_TRY(job.agree(prepare_ours(job)));
  std::vector<DuelRow> rows;
  for (const CollectiveFigure& figure : collective_figures()) {
    if (!is_chosen(given, figure.name)) continue;
    PINTLE_ASSIGN(row, run_one(job, given, figure));
    if (job.rank() == 0) fmt::print(stderr, "{}\n", figure.name);
    rows.push_back(std::move(row));
  }
  if (!is_chosen(given, ring_bytes_name)) return rows;
  if (job.rank() != 0) {
    job.await_first();
    return rows;
  }
  auto counted = count_ring_bytes();
  job.release_others();
  PINTLE_TRY(counted);
  rows.push_back(*std::move(counted));
  return rows;
}

void print(const CollectiveGiven& given, const std::vector<DuelRow>& rows) {
  if (!given.is_json) {
    fmt::print("Times in us of the slowest rank; a speed ratio is theirs / ours.\n{}", table(rows));
    return;
  }
  auto json = nlohmann::ordered_json::array();
  for (const DuelRow& row : rows) json.push_back(to_json(row));
  fmt::print("{}\n", json.dump(2));
}

int run(int count, char** arguments) {
  CLI::App app("Pintle's collectives beside MPI's, Gloo's and memcpy. Start it with mpirun.");
  CollectiveGiven given;
  declare(app, given);
  CLI11_PARSE(app, count, arguments);
  const Job job(&count, &arguments, level_for(given));
  take_place(job.rank(), job.ranks());
  const auto rows = run_all(job, given);
  if (!rows) {
    fmt::print(stderr, "bench_collective: rank {}: {}\n", job.rank(), rows.error().text());
    return 1;
  }
  if (job.rank() == 0) print(given, *rows);
  return 0;
}

}  // namespace
}  // namespace pintle::bench

int main(int count, char** arguments) { return pintle::bench::run(count, arguments); }
