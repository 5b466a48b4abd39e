// One operation of a rank, from its checked arguments to its end.
#pragma once

#include "collective/group/checks.h"
#include "collective/group/group_state.h"
#include "pintle/collective.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::collective {

/// Numbers the call, chooses the algorithm, runs it. What fails here fails the group. Messages between two ranks have
/// numbers of their own.
Result<void> operate(GroupState& group, HostCall made, Timeout timeout);

/// How far the ranks are from each other: `near` where each can address what all have sent, `far` beyond a network.
enum class Distance : std::uint8_t { near, far };

/// What `Algorithm::automatic` takes without a transport's own.
[[nodiscard]] Algorithm choose(Operation operation, std::uint64_t bytes, std::uint32_t ranks,
                               Distance distance) noexcept;

}  // namespace pintle::collective
