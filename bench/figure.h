// A figure: a function that measures it. One file of figures/ has one or two.
#pragma once

#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/row.h"
#include "pintle/error.h"

namespace pintle::bench {

using Rows = Result<std::vector<Row>>;

[[nodiscard]] Rows dispatch_hot(const BenchOptions& options);
[[nodiscard]] Rows dispatch_idle(const BenchOptions& options);
[[nodiscard]] Rows launch_loop(const BenchOptions& options);
[[nodiscard]] Rows submit(const BenchOptions& options);
[[nodiscard]] Rows replay_1000(const BenchOptions& options);
[[nodiscard]] Rows parallel_saxpy(const BenchOptions& options);
[[nodiscard]] Rows copy(const BenchOptions& options);
[[nodiscard]] Rows start(const BenchOptions& options);
[[nodiscard]] Rows launch(const BenchOptions& options);
[[nodiscard]] Rows recording_1000(const BenchOptions& options);
[[nodiscard]] Rows steps(const BenchOptions& options);
[[nodiscard]] Rows chains(const BenchOptions& options);
[[nodiscard]] Rows transfer_up(const BenchOptions& options);
[[nodiscard]] Rows transfer_down(const BenchOptions& options);
[[nodiscard]] Rows first_result(const BenchOptions& options);
[[nodiscard]] Rows plan(const BenchOptions& options);
[[nodiscard]] Rows convert_dtypes(const BenchOptions& options);
[[nodiscard]] Rows pool(const BenchOptions& options);
[[nodiscard]] Rows feed(const BenchOptions& options);

/// The one row of a figure that is measured once.
[[nodiscard]] inline Rows one_row(const Subject& subject, const BenchOptions& options, const Block& ours,
                                  const Block& reference) {
  PINTLE_ASSIGN(measured, contest(options.pairs, ours, reference));
  std::vector<Row> rows{make_row(subject, options.device, measured)};
  if (options.on_row) options.on_row(rows[0]);
  return rows;
}
[[nodiscard]] inline Rows one_skip(const Subject& subject, const BenchOptions& options, std::string reason) {
  std::vector<Row> rows{skipped_row(subject, options.device, std::move(reason))};
  if (options.on_row) options.on_row(rows[0]);
  return rows;
}

}  // namespace pintle::bench
