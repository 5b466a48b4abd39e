#include "examples/demo/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "examples/demo/oracle.h"
#include "examples/demo/tolerance.h"

namespace demo {
namespace {

template <class T, class U>
double largest_difference(const std::vector<T>& values, const std::vector<U>& expected) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (values.size() != expected.size()) return infinity;
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double difference = std::abs(static_cast<double>(values[i]) - static_cast<double>(expected[i]));
    largest = std::isnan(difference) ? infinity : std::max(largest, difference);
  }
  return largest;
}

Comparison compare_kernel(const std::string& kernel, const Outcome& outcome, const Expected& expected) {
  if (kernel == "draw")
    return {kernel, largest_difference(outcome.picture.gray, expected.picture.gray), draw_tolerance};
  if (kernel == "blur") return {kernel, largest_difference(outcome.blurred, expected.blurred), blur_tolerance};
  return {kernel, largest_difference(outcome.edges, expected.edges), edges_tolerance};
}

}  // namespace

Expected expect(const Picture& given) {
  Expected expected{given.gray.empty() ? drawn_picture(given.width, given.height) : given, {}, {}};
  expected.blurred = blurred(expected.picture);
  expected.edges = sobel_edges(expected.blurred, given.width, given.height);
  return expected;
}

std::vector<Comparison> compare(const Outcome& outcome, const Expected& expected) {
  std::vector<Comparison> rows;
  for (const Timing& timing : outcome.kernels) rows.push_back(compare_kernel(timing.kernel, outcome, expected));
  return rows;
}

}  // namespace demo
