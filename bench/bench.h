// The benchmarks as a library: figures by name, each beside a reference that is measured in the same run.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bench/row.h"
#include "pintle/error.h"

namespace pintle::bench {

/// What a figure is measured on where no device is named.
enum class Reference : unsigned char {
  host,    ///< The cpu: the reference is the host's.
  api,     ///< Each device that has an API of its own: the reference is written against that.
  itself,  ///< All of these: the reference is the same device, used otherwise.
};

struct FigureInfo {
  std::string_view name;
  std::string_view text;
  Reference reference = Reference::host;
};

/// Every figure, in the order in which they are run together.
[[nodiscard]] std::span<const FigureInfo> figures() noexcept;

/// Measures one figure. `not_found` lists the figures; `invalid_argument` for too few pairs; any other error is a
/// device that failed or computed wrong bytes. What the device cannot run is a skipped row, not an error; so is an API
/// that has no device where none is named.
[[nodiscard]] Result<std::vector<Row>> run_figure(std::string_view name, const BenchOptions& options);

}  // namespace pintle::bench
