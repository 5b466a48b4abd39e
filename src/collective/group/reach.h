// Operations of ranks that share an address space: each works in the others' memory, and nothing is copied on the way.
#pragma once

#include "collective/fold/schedule.h"
#include "collective/group/group_state.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::collective {

/// Whether `call` can be done this way.
[[nodiscard]] bool can_reach(const Call& call) noexcept;

/// Every rank tells every other its `from` and `to`, does its share, and returns when all have done theirs. A rank that
/// fails first closes its memory and waits for the ranks that are in it.
Result<void> reach(GroupState& group, const Work& work, Deadline deadline);

}  // namespace pintle::collective
