#include "cli/collective_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include "base/contain.h"
#include "cli/collective_check.h"
#include "cli/collective_trial.h"

namespace pintle::cli {
namespace {

/// Interpolates between neighbours; `values` are sorted and not empty.
double quantile(const std::vector<double>& values, double fraction) {
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

/// One rank's figures for a row: the microseconds of each iteration, then the number of its wrong elements.
using Report = std::vector<double>;

Result<Report> run_trial(Group& group, Trial& trial, const CollectiveRequest& request) {
  Report report;
  double wrong = 0;
  const auto check = [&](std::uint64_t seed) -> Result<void> {
    if (request.checking == Checking::off) return {};
    PINTLE_ASSIGN(count, trial.check(seed));
    wrong += static_cast<double>(count);
    return {};
  };
  PINTLE_TRY(check(1));
  for (std::uint32_t i = 0; i < request.warmups; ++i) PINTLE_TRY(trial.call());
  PINTLE_TRY(group.run(Collective::barrier(), request.terms.timeout));
  for (std::uint32_t i = 0; i < request.iterations; ++i) {
    const auto start = Clock::now();
    PINTLE_TRY(trial.call());
    report.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  PINTLE_TRY(check(2));
  report.push_back(wrong);
  return report;
}

/// Makes the row out of all ranks' reports: the slowest rank of each iteration, and the sum of wrong elements.
void sum_up(CollectiveRow& row, std::uint32_t ranks, std::size_t iterations, const std::vector<double>& reports,
            Checking checking) {
  std::vector<double> slowest(iterations, 0.0);
  double wrong = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const double* const report = reports.data() + rank * (iterations + 1);
    for (std::size_t i = 0; i < iterations; ++i) slowest[i] = std::max(slowest[i], report[i]);
    wrong += report[iterations];
  }
  std::ranges::sort(slowest);
  row.min_us = slowest.front();
  row.p50_us = quantile(slowest, 0.5);
  row.p99_us = quantile(slowest, 0.99);
  row.algorithm_bandwidth = row.p50_us > 0 ? static_cast<double>(row.bytes) / row.p50_us / 1e3 : 0;
  row.bus_bandwidth = row.algorithm_bandwidth * bus_factor(row.operation, ranks);
  if (checking == Checking::on) row.wrong = static_cast<std::uint64_t>(wrong);
}

CollectiveRow blank_row(const TrialSubject& subject) {
  CollectiveRow row;
  row.operation = subject.operation;
  if (subject.operation == Operation::barrier) return row;
  row.bytes = subject.bytes;
  row.count = subject.bytes / bytes_of(subject.dtype);
  row.dtype = subject.dtype;
  if (info(subject.operation).folds) row.reduction = subject.reduction;
  if (info(subject.operation).has_root) row.root = subject.root;
  return row;
}

/// Runs the rows of a request, one after another.
class Run {
 public:
  Run(Group& group, const CollectiveRequest& request, const RowSink& on_row)
      : group_(group), request_(request), on_row_(on_row) {}

  Result<std::vector<CollectiveRow>> rows() {
    for (const Operation operation : request_.operations) PINTLE_TRY(operation_rows(operation));
    return std::move(rows_);
  }

 private:
  Result<void> operation_rows(Operation operation) {
    if (operation == Operation::barrier) return row({operation, DType::u8, ReduceOp::sum, request_.root, 0});
    if (operation == Operation::send_recv && group_.ranks() == 1)
      return Error(Errc::invalid_argument, "send_recv needs at least 2 ranks, and the group has 1.");
    for (const DType dtype : request_.dtypes) {
      for (const ReduceOp reduction : request_.reductions) {
        if (!info(operation).folds) {
          PINTLE_TRY(size_rows({operation, dtype, reduction, request_.root, 0}));
          break;
        }
        const bool is_chosen = request_.reductions.size() == 1 && request_.dtypes.size() == 1;
        if (is_chosen || has_meaning(reduction, dtype))
          PINTLE_TRY(size_rows({operation, dtype, reduction, request_.root, 0}));
      }
    }
    return {};
  }

  Result<void> size_rows(TrialSubject subject) {
    const std::uint64_t unit = bytes_of(subject.dtype) * (info(subject.operation).has_parts ? group_.ranks() : 1);
    std::optional<std::uint64_t> last;
    for (std::optional size = request_.sizes.least; size; size = request_.sizes.next(*size, unit)) {
      subject.bytes = *size == 0 ? 0 : std::max(*size / unit, std::uint64_t{1}) * unit;
      if (subject.bytes == last) continue;  // several sizes may round to one
      last = subject.bytes;
      PINTLE_TRY(row(subject));
    }
    return {};
  }

  Result<void> row(const TrialSubject& subject) {
    CollectiveRow result = blank_row(subject);
    const auto measured = measure(subject, result);
    if (!measured)
      return measured.error().during(fmt::format("measuring {} of {} bytes", name(subject.operation), subject.bytes));
    rows_.push_back(result);
    if (on_row_) on_row_(result);
    return {};
  }

  Result<void> measure(const TrialSubject& subject, CollectiveRow& row) {
    Trial trial(group_, subject, request_.terms);
    PINTLE_ASSIGN(report, run_trial(group_, trial, request_));
    std::vector<double> reports(report.size() * group_.ranks());
    PINTLE_TRY(group_.run(Collective::all_gather(reports, report), request_.terms.timeout));
    sum_up(row, group_.ranks(), request_.iterations, reports, request_.checking);
    return {};
  }

  Group& group_;
  const CollectiveRequest& request_;
  const RowSink& on_row_;
  std::vector<CollectiveRow> rows_;
};

using Rows = Result<std::vector<CollectiveRow>>;

/// The outcome of all ranks: the first error that a rank has met itself, rather than by another rank's end.
Rows joined(std::vector<Rows>& ends) {
  const auto has_cause = [](const Rows& end) { return !end && end.error().code() != Errc::peer_lost; };
  const auto cause = std::ranges::find_if(ends, has_cause);
  if (cause != ends.end()) return cause->error();
  const auto failed = std::ranges::find_if(ends, [](const Rows& end) { return !end; });
  return failed != ends.end() ? Rows(failed->error()) : std::move(ends.front());
}

}  // namespace

std::optional<std::uint64_t> SizeRange::next(std::uint64_t size, std::uint64_t unit) const noexcept {
  if (size >= most) return std::nullopt;
  if (step != 0) return step <= most - size ? std::optional(size + step) : std::nullopt;
  if (size == 0) return unit <= most ? std::optional(unit) : std::nullopt;
  const double grown = static_cast<double>(size) * factor;
  if (grown > static_cast<double>(most)) return std::nullopt;
  return std::clamp(static_cast<std::uint64_t>(grown), size + 1, most);
}

double bus_factor(Operation operation, std::uint32_t ranks) noexcept {
  if (!info(operation).moves_others) return 1;
  const double others = static_cast<double>(ranks - 1) / ranks;
  return operation == Operation::all_reduce ? 2 * others : others;
}

Result<std::vector<CollectiveRow>> measure_collectives(Group& group, const CollectiveRequest& request,
                                                       const RowSink& on_row) {
  if (request.root >= group.ranks())
    return Error(Errc::invalid_argument,
                 fmt::format("Root ({}) is not below the number of ranks ({}).", request.root, group.ranks()));
  return base::contain("measuring collectives", [&] { return Run(group, request, on_row).rows(); });
}

Result<std::vector<CollectiveRow>> measure_collectives_in_threads(std::uint32_t ranks, Timeout timeout,
                                                                  const CollectiveRequest& request,
                                                                  const RowSink& on_row) {
  PINTLE_ASSIGN(groups, Group::threads(ranks, {.label = "bench", .transport = {}, .timeout = timeout}));
  std::vector<Rows> ends(groups.size(), Rows(std::vector<CollectiveRow>()));
  std::vector<std::jthread> threads;
  const auto started = base::contain("starting the ranks' threads", [&]() -> Result<void> {
    for (std::size_t rank = 0; rank < ends.size(); ++rank) {
      threads.emplace_back([&, rank, group = std::move(groups[rank])]() mutable {
        ends[rank] = measure_collectives(group, request, rank == 0 ? on_row : RowSink());
        group = Group();  // a failure here must not keep the others waiting
      });
    }
    return {};
  });
  groups.clear();  // of ranks without a thread, if there are any
  threads.clear();
  PINTLE_TRY(started);
  return joined(ends);
}

}  // namespace pintle::cli
