#include "bench/measure.h"

#include <algorithm>
#include <utility>

#include "bench/processors.h"
#include "bench/statistics.h"

namespace pintle::bench {
namespace {

/// Runs one block and returns its median.
Result<double> run_block(const Block& block, Samples& all) {
  PINTLE_TRY(wait_until_alone());
  Samples samples;
  PINTLE_TRY(block(samples));
  all.insert(all.end(), samples.begin(), samples.end());
  return median(std::move(samples));
}

std::string_view text_of(Unit unit) {
  switch (unit) {
    case Unit::nanoseconds: return "ns";
    case Unit::milliseconds: return "ms";
    case Unit::times: return "x";
    case Unit::gigabytes_per_second: break;
  }
  return "GB/s";
}

double difference_ns(Unit unit, const std::vector<Pair>& pairs) {
  std::vector<double> differences;
  for (const Pair& pair : pairs) differences.push_back(pair.ours - pair.reference);
  return median(std::move(differences)) * (unit == Unit::milliseconds ? 1e6 : 1);
}

bool is_reached(const Reach& reach, const Row& row) {
  switch (reach.kind) {
    case Reach::Kind::none: return true;
    case Reach::Kind::ratio_at_most: return row.ratio.median <= reach.limit;
    case Reach::Kind::ratio_at_least: return row.ratio.median >= reach.limit;
    case Reach::Kind::worst_ns_at_most: return row.worst <= reach.limit;
    case Reach::Kind::difference_ns_at_most: break;
  }
  return row.difference_ns && *row.difference_ns <= reach.limit;
}

double worst_block(Unit unit, const std::vector<Pair>& pairs) {
  const auto [least, most] = std::ranges::minmax_element(pairs, {}, &Pair::ours);
  return unit == Unit::gigabytes_per_second ? least->ours : most->ours;
}

Row blank_row(const Subject& subject, std::string_view device) {
  Row row;
  row.name = subject.name;
  row.device = device;
  row.size = subject.size;
  return row;
}

}  // namespace

Result<Contest> contest(std::size_t pairs, const Block& ours, const Block& reference) {
  Contest result;
  for (std::size_t index = 0; index < pairs; ++index) {
    Pair pair;
    const auto run_ours = [&]() -> Result<void> {
      PINTLE_ASSIGN(value, run_block(ours, result.ours));
      pair.ours = value;
      return {};
    };
    const bool ours_first = index % 2 == 0;
    if (ours_first) PINTLE_TRY(run_ours());
    PINTLE_ASSIGN(value, run_block(reference, result.reference));
    pair.reference = value;
    if (!ours_first) PINTLE_TRY(run_ours());
    result.pairs.push_back(pair);
  }
  return result;
}

Row make_row(const Subject& subject, std::string_view device, const Contest& contest) {
  Row row = blank_row(subject, device);
  row.unit = text_of(subject.unit);
  row.min = *std::ranges::min_element(contest.ours);
  row.p50 = quantile(contest.ours, 0.5);
  row.p99 = quantile(contest.ours, 0.99);
  row.worst = worst_block(subject.unit, contest.pairs);
  row.reference = subject.reference;
  row.reference_p50 = median(contest.reference);
  row.ratio = ratio_of(contest.pairs);
  if (subject.difference == Difference::given) row.difference_ns = difference_ns(subject.unit, contest.pairs);
  row.reach = subject.reach;
  row.reached = is_reached(subject.reach, row);
  row.pairs = contest.pairs;
  return row;
}

Row skipped_row(const Subject& subject, std::string_view device, std::string reason) {
  Row row = blank_row(subject, device);
  row.skipped = std::move(reason);
  return row;
}

}  // namespace pintle::bench
