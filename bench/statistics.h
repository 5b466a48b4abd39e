// Medians, percentiles, and how sure a median is.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "bench/row.h"

namespace pintle::bench {

/// The value below which `fraction` of the values lie, between neighbours by proportion. Not empty.
[[nodiscard]] double quantile(std::vector<double> values, double fraction);
[[nodiscard]] inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

/// Places, from 0, of the two order statistics of `count` values that hold the median with at least 95 %: the number of
/// values below the median is binomial with one half, whatever their distribution.
[[nodiscard]] std::pair<std::size_t, std::size_t> median_places(std::size_t count);

[[nodiscard]] Ratio ratio_of(const std::vector<Pair>& pairs);

}  // namespace pintle::bench
