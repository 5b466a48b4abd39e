#include "bench/statistics.h"

#include <algorithm>
#include <cmath>

namespace pintle::bench {

double quantile(std::vector<double> values, double fraction) {
  std::ranges::sort(values);
  const double place = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

std::pair<std::size_t, std::size_t> median_places(std::size_t count) {
  double term = std::pow(0.5, static_cast<double>(count));  // of exactly `place` values below the median
  double tail = 0;
  std::size_t place = 0;
  while (place < count / 2 && tail + term <= 0.025) {
    tail += term;
    term *= static_cast<double>(count - place) / static_cast<double>(place + 1);
    ++place;
  }
  const std::size_t low = place == 0 ? 0 : place - 1;
  return {low, count - 1 - low};
}

Ratio ratio_of(const std::vector<Pair>& pairs) {
  std::vector<double> ratios;
  for (const Pair& pair : pairs) ratios.push_back(pair.ours / pair.reference);
  std::ranges::sort(ratios);
  const auto [low, high] = median_places(ratios.size());
  return {median(ratios), ratios[low], ratios[high]};
}

}  // namespace pintle::bench
