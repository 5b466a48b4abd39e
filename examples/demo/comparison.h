// What a device computed beside what the oracle computes.
#pragma once

#include <string>
#include <vector>

#include "examples/demo/picture.h"
#include "examples/demo/pipeline.h"

namespace demo {

/// The oracle's words on one picture.
struct Expected {
  Picture picture;
  std::vector<double> blurred;
  std::vector<double> edges;
};
/// `given` without pixels stands for the picture that `draw` draws.
[[nodiscard]] Expected expect(const Picture& given);

struct Comparison {
  std::string kernel;
  double largest = 0;  ///< Infinite where the device's value is no number, or one is missing.
  double tolerance = 0;

  [[nodiscard]] bool holds() const noexcept { return largest <= tolerance; }
};
/// One for each kernel, in the order in which they ran.
[[nodiscard]] std::vector<Comparison> compare(const Outcome& outcome, const Expected& expected);

}  // namespace demo
