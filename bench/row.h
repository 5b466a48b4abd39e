// What a figure is asked, and the row that it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pintle::bench {

/// The median of the pairs' ratios; `low` and `high` bound it at 95 %, by order statistics.
struct Ratio {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// What a figure should reach.
struct Reach {
  enum class Kind : unsigned char { none, ratio_at_most, ratio_at_least, difference_ns_at_most, worst_ns_at_most };
  Kind kind = Kind::none;
  double limit = 0;
};

struct Pair {
  double ours = 0;
  double reference = 0;
};

/// One measured figure. Ours and the reference are in `unit`, and the ratio is always ours divided by the reference.
struct Row {
  std::string name;
  std::string device;
  std::string unit;  ///< "ns", "ms", "GB/s", or "x" for times the optimum.
  double min = 0;
  double p50 = 0;
  double p99 = 0;
  double worst = 0;  ///< The median of the worst of our blocks: what an unlucky user meets.
  std::string reference;
  double reference_p50 = 0;
  Ratio ratio;
  std::optional<double> difference_ns;
  std::optional<std::uint64_t> size;  ///< Elements of one run, where the figure has several sizes.
  Reach reach;
  bool reached = false;
  std::vector<Pair> pairs;  ///< The raw data: each block's median.
  std::string skipped;      ///< Why there are no numbers; empty when there are.
};

struct BenchOptions {
  static constexpr std::size_t least_pairs = 31;
  std::string device;  ///< Empty: those that the figure is for.
  std::size_t pairs = least_pairs;
  std::function<void(const Row&)> on_row;  ///< Told of each row as it is there.
};

}  // namespace pintle::bench
