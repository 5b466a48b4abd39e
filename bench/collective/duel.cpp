#include "bench/collective/duel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bench/statistics.h"

namespace pintle::bench {
namespace {

/// One side's block on every process: the slowest rank's samples, and their median.
Result<double> run_block(const Job& job, Side& side, const BlockPlan& plan, std::vector<double>& all) {
  std::vector<double> samples(plan.samples);
  job.barrier();
  PINTLE_TRY(job.agree(side.run(plan, samples)));
  job.greatest(samples);
  all.insert(all.end(), samples.begin(), samples.end());
  return median(std::move(samples));
}

/// Ranks that are threads have MPI's result of their process; all ranks of an all_reduce have the same.
Result<void> compare(const Side& ours, const Side& theirs) {
  const auto expected = theirs.results();
  for (const auto& result : ours.results()) {
    if (result != expected.front())
      return Error(Errc::internal,
                   "The results of both sides are not the same values; no time of theirs is worth anything.");
  }
  return {};
}

/// Faster is more in a ratio of speeds.
Ratio ratio_for(const Goal& goal, std::vector<Pair> pairs) {
  if (goal.kind == Goal::Kind::speed) {
    for (Pair& pair : pairs) std::swap(pair.ours, pair.reference);
  }
  return ratio_of(pairs);
}

double p99(const std::vector<double>& samples) { return quantile(samples, 0.99); }

}  // namespace

bool DuelRow::is_reached() const noexcept {
  return goal.kind == Goal::Kind::speed ? ratio.median >= goal.limit : ratio.median <= goal.limit;
}

Result<DuelRow> duel(const Job& job, Side& ours, Side& theirs, const BlockPlan& plan, std::size_t pairs,
                     const Goal& goal, Comparison comparison) {
  std::vector<double> ours_all, theirs_all, unused;
  for (Side* const side : {&ours, &theirs}) {
    PINTLE_ASSIGN(value, run_block(job, *side, {1, 1, 1}, unused));
    static_cast<void>(value);
  }
  if (comparison == Comparison::same_results) PINTLE_TRY(job.agree(compare(ours, theirs)));
  std::vector<Pair> values(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    for (const bool is_ours : {i % 2 == 0, i % 2 != 0}) {
      PINTLE_ASSIGN(value, run_block(job, is_ours ? ours : theirs, plan, is_ours ? ours_all : theirs_all));
      (is_ours ? values[i].ours : values[i].reference) = value;
    }
  }
  if (comparison == Comparison::same_results) PINTLE_TRY(job.agree(compare(ours, theirs)));
  DuelRow row;
  row.ratio = ratio_for(goal, std::move(values));
  row.goal = goal;
  row.pairs = pairs;
  row.ours_p50 = median(ours_all);
  row.theirs_p50 = median(theirs_all);
  row.ours_p99 = p99(ours_all);
  row.theirs_p99 = p99(theirs_all);
  return row;
}

nlohmann::ordered_json to_json(const DuelRow& row) {
  nlohmann::ordered_json json{
      {"figure", row.figure}, {"reference", row.reference}, {"ranks", row.ranks}, {"bytes", row.bytes}};
  if (!row.skipped.empty()) {
    json["skipped"] = row.skipped;
    return json;
  }
  json["unit"] = row.goal.kind == Goal::Kind::volume ? "bytes" : "us";
  json["ours"] = {{"p50", row.ours_p50}, {"p99", row.ours_p99}};
  json["theirs"] = {{"p50", row.theirs_p50}, {"p99", row.theirs_p99}};
  json["ratio"] = row.ratio.median;
  json["ratio_low"] = row.ratio.low;
  json["ratio_high"] = row.ratio.high;
  json["pairs"] = row.pairs;
  json["reach"] = fmt::format("{} {}", row.goal.kind == Goal::Kind::speed ? ">=" : "<=", row.goal.limit);
  json["reached"] = row.is_reached();
  return json;
}

namespace {

using Cells = std::array<std::string, 10>;

Cells cells_of(const DuelRow& row) {
  Cells cells{row.figure, row.reference, fmt::to_string(row.ranks), fmt::to_string(row.bytes)};
  if (!row.skipped.empty()) {
    cells[4] = "skipped: " + row.skipped;
    return cells;
  }
  const bool is_speed = row.goal.kind == Goal::Kind::speed;
  cells[4] = fmt::format("{:.5g} [{:.5g}]", row.ours_p50, row.ours_p99);
  cells[5] = fmt::format("{:.5g} [{:.5g}]", row.theirs_p50, row.theirs_p99);
  cells[6] = fmt::format("{:.3f} [{:.3f}, {:.3f}]", row.ratio.median, row.ratio.low, row.ratio.high);
  cells[7] = is_speed ? "theirs/ours" : "ours/theirs";
  cells[8] = fmt::format("{} {}", is_speed ? ">=" : "<=", row.goal.limit);
  cells[9] = row.is_reached() ? "yes" : "NO";
  return cells;
}

}  // namespace

std::string table(std::span<const DuelRow> rows) {
  std::vector<Cells> lines{{"figure", "reference", "ranks", "bytes", "ours p50 [p99]", "theirs p50 [p99]",
                            "ratio [95 %]", "of", "reach", "reached"}};
  for (const DuelRow& row : rows) lines.push_back(cells_of(row));
  std::array<std::size_t, 10> widths{};
  for (const Cells& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].starts_with("skipped")) widths[i] = std::max(widths[i], cells[i].size());
    }
  }
  std::string text;
  for (const Cells& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) line += fmt::format("{:<{}}  ", cells[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace pintle::bench
