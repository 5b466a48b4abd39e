// One operation of a rank, from its checked arguments to its end.
#pragma once

#include "collective/group/checks.h"
#include "collective/group/group_state.h"
#include "pintle/collective.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::collective {

/// Numbers the call, chooses the algorithm, runs it, and writes into `made` what it chose. A failure here fails the
/// group. Messages between two ranks have numbers of their own.
Result<void> operate(GroupState& group, HostCall& made, Deadline deadline);

/// How far the ranks are from each other: `near` where each can address what all have sent, `far` across a network.
enum class Distance : std::uint8_t { near, far };

/// The algorithm that `Algorithm::automatic` takes where the transport's own is not taken.
[[nodiscard]] Algorithm choose(Operation operation, std::uint64_t bytes, std::uint32_t ranks,
                               Distance distance) noexcept;

}  // namespace pintle::collective
