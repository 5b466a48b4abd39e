#include "bench/collective/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "pintle/group.h"

namespace pintle::bench {
namespace {

using enum CollectiveOperation;
using Kind = Goal::Kind;

constexpr std::uint64_t mib = 1 << 20;
constexpr BlockPlan large{1, 3, 1}, middle{2, 8, 1}, small{10, 40, 1}, tiny{2000, 30, 200};

constexpr std::array table_of_figures{
    CollectiveFigure{"all_reduce_threads", "threads", "MPI", all_reduce, 64 * mib, 2, {Kind::speed, 1.5}, large},
    CollectiveFigure{"all_reduce_threads_gloo", "threads", "Gloo", all_reduce, 64 * mib, 2, {Kind::speed, 3}, large},
    CollectiveFigure{
        "all_reduce_threads_machine", "threads", "memcpy", all_reduce, 64 * mib, 2, {Kind::speed, 0.6}, large},
    CollectiveFigure{"all_reduce_shm", "shm", "MPI", all_reduce, 64 * mib, 2, {Kind::speed, 1.5}, large},
    CollectiveFigure{"all_reduce_shm_gloo", "shm", "Gloo", all_reduce, 64 * mib, 2, {Kind::speed, 3}, large},
    CollectiveFigure{"all_reduce_shm_machine", "shm", "memcpy", all_reduce, 64 * mib, 2, {Kind::speed, 0.6}, large},
    CollectiveFigure{"all_reduce_8", "shm", "MPI", all_reduce, 8, 2, {Kind::time, 1.2}, tiny},
    CollectiveFigure{"all_gather", "shm", "MPI", all_gather, 16 * mib, 2, {Kind::speed, 1}, middle},
    CollectiveFigure{"reduce_scatter", "shm", "MPI", reduce_scatter, 16 * mib, 2, {Kind::speed, 1}, middle},
    CollectiveFigure{"broadcast", "shm", "MPI", broadcast, 16 * mib, 2, {Kind::speed, 1}, middle},
    CollectiveFigure{"all_to_all", "shm", "MPI", all_to_all, 16 * mib, 2, {Kind::speed, 1}, middle},
    CollectiveFigure{"all_reduce_4_threads", "threads", "MPI", all_reduce, mib, 4, {Kind::speed, 1}, small},
    CollectiveFigure{"all_reduce_4_shm", "shm", "MPI", all_reduce, mib, 4, {Kind::speed, 1}, small},
    CollectiveFigure{"all_reduce_mpi", "mpi", "MPI", all_reduce, 64 * mib, 2, {Kind::speed, 0.95}, large},
};

Sided ours_of(const Job& job, const CollectiveFigure& figure, const CollectiveWork& work) {
  if (figure.transport == "threads") return ours_in_threads(job, work);
  return ours_in_processes(job, work, std::string(figure.transport));
}

Sided theirs_of(const Job& job, const CollectiveFigure& figure, const CollectiveWork& work) {
  if (figure.reference == "Gloo") return theirs_gloo(job, work);
  if (figure.reference == "memcpy") return theirs_memcpy(job, work);
  return theirs_mpi(job, work);
}

Result<void> success_of(const Sided& side) {
  if (side) return {};
  return side.error();
}

void describe(DuelRow& row, const CollectiveFigure& figure) {
  row.figure = figure.name;
  row.reference = figure.reference;
  row.ranks = figure.ranks;
  row.bytes = figure.bytes;
  row.goal = figure.goal;
}

Result<DuelRow> measured(const Job& job, const CollectiveFigure& figure, std::size_t pairs) {
  const CollectiveWork work{figure.operation, figure.bytes, figure.ranks};
  auto theirs = theirs_of(job, figure, work);
  if (!theirs && theirs.error().code() == Errc::unavailable) {
    DuelRow row;
    row.skipped = theirs.error().message();
    return row;
  }
  PINTLE_TRY(job.agree(success_of(theirs)));
  auto ours = ours_of(job, figure, work);
  PINTLE_TRY(job.agree(success_of(ours)));
  return duel(job, **ours, **theirs, figure.plan, pairs, figure.goal,
              figure.reference == "memcpy" ? Comparison::times_only : Comparison::same_results);
}

}  // namespace

std::span<const CollectiveFigure> collective_figures() noexcept { return table_of_figures; }

Result<DuelRow> run_collective_figure(const Job& job, const CollectiveFigure& figure, std::size_t pairs) {
  DuelRow row;
  if (figure.ranks != job.ranks()) {
    row.skipped = fmt::format("it is for {} ranks (mpirun -n {}{})", figure.ranks, figure.ranks,
                              figure.ranks > 2 ? " --oversubscribe" : "");
  } else {
    auto result = measured(job, figure, pairs);
    if (!result) return result.error().during(fmt::format("measuring {}", figure.name));
    row = *std::move(result);
  }
  describe(row, figure);
  return row;
}

Result<DuelRow> count_ring_bytes() {
  constexpr std::uint32_t ranks = 64;
  constexpr std::size_t count = 64 * 1024 * 4 + 64;  // parts that are no multiple of a page
  PINTLE_ASSIGN(groups, Group::threads(ranks));
  std::vector<Result<void>> ends(ranks);
  std::vector<double> sent(ranks);
  std::vector<std::jthread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      std::vector<float> values(count, 1);
      const std::uint64_t before = groups[rank].statistics().bytes_sent;
      ends[rank] = groups[rank].run(Collective::all_reduce(values, ReduceOp::sum).with(Algorithm::ring));
      sent[rank] = static_cast<double>(groups[rank].statistics().bytes_sent - before);
      if (ends[rank] && values.back() != static_cast<float>(ranks))
        ends[rank] = Error(Errc::internal, "The ring's sum is wrong.");
    });
  }
  threads.clear();
  for (const auto& end : ends) PINTLE_TRY(end);
  DuelRow row;
  row.figure = ring_bytes_name;
  row.reference = "2(n-1)/n";
  row.ranks = ranks;
  row.bytes = count * sizeof(float);
  row.goal = {Kind::volume, 1.05};
  row.ours_p50 = row.ours_p99 = *std::ranges::max_element(sent);
  row.theirs_p50 = row.theirs_p99 = 2.0 * (ranks - 1) / ranks * static_cast<double>(row.bytes);
  row.ratio.median = row.ratio.low = row.ratio.high = row.ours_p50 / row.theirs_p50;
  row.pairs = 1;
  return row;
}

}  // namespace pintle::bench
