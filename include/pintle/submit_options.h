// What work waits for and signals, wherever it is submitted.
#pragma once

#include <string>
#include <vector>

#include "pintle/deadline.h"
#include "pintle/signal.h"

namespace pintle {

/// What a submission comes after and signals. A point may be waited for before anything is submitted that reaches it.
struct SubmitOptions {
  std::vector<Point> after{};   ///< Of any queue or signal. The work starts when all are reached.
  std::vector<Point> signal{};  ///< Reached when the work is done; they fail with it.
  std::string label{};          ///< In messages.
  Timeout timeout{};            ///< What it bounds is said by the call.
};

}  // namespace pintle
