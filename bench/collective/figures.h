// The figures of docs/collectives.md: what is compared, on how much, by how many ranks, and what should come out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/collective/duel.h"

namespace pintle::bench {

struct CollectiveFigure {
  std::string_view name;
  std::string_view transport;  ///< On Pintle's side: "threads", "shm" or "mpi".
  std::string_view reference;  ///< "MPI", "Gloo" or "memcpy".
  CollectiveOperation operation = CollectiveOperation::all_reduce;
  std::uint64_t bytes = 0;
  std::uint32_t ranks = 2;
  Goal goal;
  BlockPlan plan;
};

[[nodiscard]] std::span<const CollectiveFigure> collective_figures() noexcept;
/// The name of the one that counts bytes, of threads of rank 0.
inline constexpr std::string_view ring_bytes_name = "ring_bytes_64";

/// Collective. The row is skipped where the job has another number of ranks, or the reference was not built in.
[[nodiscard]] Result<DuelRow> run_collective_figure(const Job& job, const CollectiveFigure& figure, std::size_t pairs);
/// What a rank sends in a ring of 64 ranks, beside 2(n-1)/n of the buffer. Not collective.
[[nodiscard]] Result<DuelRow> count_ring_bytes();

}  // namespace pintle::bench
