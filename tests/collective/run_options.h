// An operation with the options of a test's table.
#pragma once

#include "pintle/deadline.h"
#include "pintle/group.h"

namespace pintle::collective {

struct RunOptions {
  Timeout timeout{};
  Algorithm algorithm = Algorithm::automatic;
  bool is_reproducible = false;
};

inline Result<void> run(Group& group, Collective operation, const RunOptions& options) {
  operation.algorithm = options.algorithm;
  operation.is_reproducible = options.is_reproducible;
  return group.run(operation, options.timeout);
}

}  // namespace pintle::collective
