// What one execution of a scenario answers, and what must hold of one in which nothing failed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/sweep/scenario.h"

namespace pintle::conformance {

struct Answer {
  Result<void> result;        // of the scenario: its first error
  std::vector<Error> errors;  // of the points that it left
  bool wrong = false;         // bytes
  bool callbacks = true;
};

[[nodiscard]] Answer execute(const std::function<Result<void>(Run&)>& scenario, Context& test);

/// Sentences about a run in which nothing was to fail: everything is right, the device comes to rest, no memory is
/// held.
[[nodiscard]] std::vector<std::string> troubles_of_clean_run(const Answer& answer, Context& context);

}  // namespace pintle::conformance
