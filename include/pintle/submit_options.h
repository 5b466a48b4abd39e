// Options of a submission: the points that it waits for and signals, wherever it is submitted.
#pragma once

#include <string>
#include <vector>

#include "pintle/deadline.h"
#include "pintle/signal.h"

namespace pintle {

/// The points that a submission waits for and signals. It may wait for a point before the work that reaches the point
/// is submitted.
struct SubmitOptions {
  std::vector<Point> after{};   ///< Points of any queue or signal. The work starts when all are reached.
  std::vector<Point> signal{};  ///< Points that are reached when the work is done, and fail with it.
  std::string label{};          ///< The submission's name in messages.
  Timeout timeout{};            ///< The call says what it bounds.
};

}  // namespace pintle
