// MPI's own collective calls.
#include <mpi.h>

#include "bench/collective/side.h"

namespace pintle::bench {
namespace {

int run(const CollectiveWork& work, CollectiveMemory& memory) {
  const auto count = static_cast<int>(work.count()), part = static_cast<int>(work.part_count());
  const float* const from = memory.from.data();
  float* const to = memory.to.data();
  switch (work.operation) {
    case CollectiveOperation::all_reduce: return MPI_Allreduce(from, to, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    case CollectiveOperation::reduce_scatter:
      return MPI_Reduce_scatter_block(from, to, part, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    case CollectiveOperation::all_gather:
      return MPI_Allgather(from, part, MPI_FLOAT, to, part, MPI_FLOAT, MPI_COMM_WORLD);
    case CollectiveOperation::broadcast: return MPI_Bcast(to, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
    case CollectiveOperation::all_to_all: break;
  }
  return MPI_Alltoall(from, part, MPI_FLOAT, to, part, MPI_FLOAT, MPI_COMM_WORLD);
}

}  // namespace

Sided theirs_mpi(const Job& job, const CollectiveWork& work) {
  auto memory = std::make_unique<CollectiveMemory>(work, job.rank());
  CollectiveMemory& here = *memory;
  return side_of_calls(std::move(memory), [&here, work]() -> Result<void> {
    if (run(work, here) == MPI_SUCCESS) return {};
    return Error(Errc::internal, "MPI's call fails.");
  });
}

}  // namespace pintle::bench
