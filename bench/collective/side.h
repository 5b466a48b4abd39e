// One of the two that a figure compares: it runs the work some times and says how long each time took.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/collective/job.h"
#include "bench/collective/work.h"
#include "pintle/error.h"

namespace pintle::bench {

/// How often a block runs the work. A sample is the mean of `batch` runs.
struct BlockPlan {
  std::uint32_t warmups = 1;
  std::uint32_t samples = 3;
  std::uint32_t batch = 1;
};

/// The work, once, by the calling rank.
using Call = std::function<Result<void>()>;

/// Runs a block of calls; microseconds of each sample.
Result<void> time_calls(const Call& call, const BlockPlan& plan, std::span<double> samples);

/// Each process of the job has one of the same kind; the functions are collective.
class Side {
 public:
  Side() = default;
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  virtual ~Side() = default;

  /// A block. A process whose part another one does leaves its samples at 0.
  virtual Result<void> run(const BlockPlan& plan, std::span<double> samples) = 0;
  /// What this process's ranks have got from one run, one behind the other; empty for none.
  [[nodiscard]] virtual std::vector<std::vector<float>> results() const = 0;
};

using Sided = Result<std::unique_ptr<Side>>;

/// Collective: gives ranks that MPI has started what `pintle launch` gives to those that it starts. Pintle reads its
/// variables once, so this comes before all else of it.
[[nodiscard]] Result<void> prepare_ours(const Job& job);
/// Pintle among the processes of the job, over "shm" or "mpi".
[[nodiscard]] Sided ours_in_processes(const Job& job, const CollectiveWork& work, const std::string& transport);
/// Pintle among threads of rank 0; the other processes sleep.
[[nodiscard]] Sided ours_in_threads(const Job& job, const CollectiveWork& work);
/// MPI's own call.
[[nodiscard]] Sided theirs_mpi(const Job& job, const CollectiveWork& work);
/// Gloo's ring over loopback TCP; `unavailable` where it was not built in. all_reduce only.
[[nodiscard]] Sided theirs_gloo(const Job& job, const CollectiveWork& work);
/// Each rank copies its whole buffer, all at once: what a direct all_reduce of two ranks must read and write.
[[nodiscard]] Sided theirs_memcpy(const Job& job, const CollectiveWork& work);

/// A side that makes one call on each process.
[[nodiscard]] std::unique_ptr<Side> side_of_calls(std::unique_ptr<CollectiveMemory> memory, Call call);

}  // namespace pintle::bench
