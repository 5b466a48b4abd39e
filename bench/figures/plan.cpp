// plan: greedy and exact plans of tight packings, and the time for a plan of 100,000 values.
#include "pintle/planner.h"

#include <fmt/format.h>

#include <numeric>
#include <span>
#include <utility>

#include "bench/figure.h"
#include "bench/plan_problems.h"

namespace pintle::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t all_packings = 200;
constexpr std::size_t few_pieces = 200;
constexpr std::size_t large_values = 100'000;
constexpr std::size_t large_runs = 5;
constexpr double large_limit_ms = 1000;

/// What became of one packing; peaks as times the optimum.
struct Outcome {
  std::size_t pieces = 0;
  double first_fit = 0, greedy = 0, exact = 0;
  bool is_optimal = false;
};

double times_optimum(std::uint64_t peak) { return static_cast<double>(peak) / static_cast<double>(packing_bytes); }

Result<Outcome> outcome_of(std::uint64_t seed, std::chrono::nanoseconds budget) {
  const std::size_t pieces = pieces_of(seed);
  const PlanProblem problem = tight_packing(seed, pieces);
  PINTLE_ASSIGN(greedy, lay_out(problem));
  PINTLE_ASSIGN(exact, lay_out(problem, {.time = budget}));
  return Outcome{pieces, times_optimum(first_fit_by_size(problem)), times_optimum(greedy.total()),
                 times_optimum(exact.total()), exact.is_optimal()};
}

double mean(std::span<const Outcome> outcomes, double Outcome::* member) {
  double sum = 0;
  for (const Outcome& one : outcomes) sum += one.*member;
  return sum / static_cast<double>(outcomes.size());
}

Contest contest_of(std::span<const Outcome> outcomes, double Outcome::* member) {
  Contest contest;
  for (const Outcome& one : outcomes) {
    contest.ours.push_back(one.*member);
    contest.reference.push_back(one.first_fit);
    contest.pairs.push_back({one.*member, one.first_fit});
  }
  return contest;
}

Row greedy_row(std::span<const Outcome> outcomes, const BenchOptions& options) {
  const double ours = mean(outcomes, &Outcome::greedy), reference = mean(outcomes, &Outcome::first_fit);
  std::size_t worse = 0;
  for (const Outcome& one : outcomes) worse += one.greedy > one.first_fit ? 1 : 0;
  const std::string text = fmt::format("first fit by size; means {:.4f} and {:.4f}, ratio {:.4f}, worse on {}", ours,
                                       reference, ours / reference, worse);
  const Subject subject{"plan_greedy", Unit::times, text, {Reach::Kind::ratio_at_most, 0.97}};
  Row row = make_row(subject, options.device, contest_of(outcomes, &Outcome::greedy));
  row.reached = ours / reference <= subject.reach.limit && worse == 0;
  return row;
}

Row exact_row(std::span<const Outcome> outcomes, const BenchOptions& options) {
  std::size_t optimal = 0, small = 0, small_optimal = 0;
  for (const Outcome& one : outcomes) {
    const bool is_small = one.pieces <= few_pieces;
    optimal += one.is_optimal ? 1 : 0;
    small += is_small ? 1 : 0;
    small_optimal += is_small && one.is_optimal ? 1 : 0;
  }
  const double ours = mean(outcomes, &Outcome::exact);
  const std::string text = fmt::format("first fit by size; mean {:.4f}, optimal {} of {}, up to {} pieces {} of {}",
                                       ours, optimal, outcomes.size(), few_pieces, small_optimal, small);
  const Subject subject{"plan_exact", Unit::times, text, {Reach::Kind::ratio_at_most, 1.0}};
  Row row = make_row(subject, options.device, contest_of(outcomes, &Outcome::exact));
  row.reached = ours <= 1.01 && 10 * optimal >= 7 * outcomes.size() && 10 * small_optimal >= 9 * small;
  return row;
}

Result<Row> large_row(const BenchOptions& options) {
  const PlanProblem problem = transformer(large_values);
  Contest contest;
  for (std::size_t i = 0; i < large_runs; ++i) {
    const auto start = BenchClock::now();
    PINTLE_TRY(lay_out(problem));
    contest.ours.push_back(nanoseconds_since(start) / 1e6);
    contest.reference.push_back(large_limit_ms);
    contest.pairs.push_back({contest.ours.back(), large_limit_ms});
  }
  Subject subject{"plan_large", Unit::milliseconds, "the limit", {Reach::Kind::ratio_at_most, 1.0}};
  subject.size = large_values;
  return make_row(subject, options.device, contest);
}

}  // namespace

Rows plan(const BenchOptions& options) {
  const std::chrono::nanoseconds budget = options.pairs >= all_packings ? 10s : 1s;
  std::vector<Outcome> outcomes;
  for (std::uint64_t seed = 1; seed <= options.pairs; ++seed) {
    PINTLE_ASSIGN(outcome, outcome_of(seed, budget));
    outcomes.push_back(outcome);
  }
  PINTLE_ASSIGN(large, large_row(options));
  std::vector<Row> rows{greedy_row(outcomes, options), exact_row(outcomes, options), large};
  if (options.on_row) {
    for (const Row& row : rows) options.on_row(row);
  }
  return rows;
}

}  // namespace pintle::bench
