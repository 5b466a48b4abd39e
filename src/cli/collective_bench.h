// Measures and checks collective operations as nccl-tests does: every rank of a group runs the same rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "cli/collective_operation.h"
#include "cli/collective_trial.h"
#include "pintle/dtype.h"
#include "pintle/error.h"
#include "pintle/group.h"

namespace pintle::cli {

/// The sizes of rows in bytes. They grow by a factor, or by a step where the step is not 0.
struct SizeRange {
  std::uint64_t least = 8;
  std::uint64_t most = 64ull << 20;
  double factor = 4;
  std::uint64_t step = 0;

  /// The size behind this one; empty behind the last. With a factor the size behind 0 is `unit`, the smallest size
  /// above 0.
  [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t size, std::uint64_t unit) const noexcept;
};

enum class Checking : unsigned char { off, on };

struct CollectiveRequest {
  std::vector<Operation> operations{Operation::all_reduce};
  std::vector<DType> dtypes{DType::f32};
  std::vector<ReduceOp> reductions{ReduceOp::sum};  ///< A single reduction is tried even where it has no meaning.
  SizeRange sizes;
  std::uint32_t warmups = 5;
  std::uint32_t iterations = 20;
  Checking checking = Checking::on;
  std::uint32_t root = 0;
  TrialTerms terms;
};

/// Times are of the slowest rank in each iteration.
struct CollectiveRow {
  Operation operation = Operation::all_reduce;
  std::uint64_t bytes = 0;  ///< The size of the larger buffer.
  std::uint64_t count = 0;  ///< Its elements.
  std::optional<DType> dtype;
  std::optional<ReduceOp> reduction;
  std::optional<std::uint32_t> root;
  double min_us = 0;
  double p50_us = 0;
  double p99_us = 0;
  double algorithm_bandwidth = 0;  ///< GB/s: bytes / p50.
  double bus_bandwidth = 0;        ///< algorithm_bandwidth times `bus_factor`: what a bus between the ranks must carry.
  std::optional<std::uint64_t> wrong;
};

/// The quotient of busbw and algbw.
[[nodiscard]] double bus_factor(Operation operation, std::uint32_t ranks) noexcept;

/// Collective. Every rank returns the same rows; `on_row` gets each row as soon as it is there.
using RowSink = std::function<void(const CollectiveRow& row)>;
[[nodiscard]] Result<std::vector<CollectiveRow>> measure_collectives(Group& group, const CollectiveRequest& request,
                                                                     const RowSink& on_row);

/// Measures with `ranks` threads of this process; rank 0 calls `on_row`.
[[nodiscard]] Result<std::vector<CollectiveRow>> measure_collectives_in_threads(std::uint32_t ranks, Timeout timeout,
                                                                                const CollectiveRequest& request,
                                                                                const RowSink& on_row);

}  // namespace pintle::cli
