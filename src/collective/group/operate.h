// One operation of a rank, from its checked arguments to its end.
#pragma once

#include "collective/fold/schedule.h"
#include "collective/group/group_state.h"
#include "pintle/collective.h"
#include "pintle/error.h"

namespace pintle::collective {

/// `call` has operation, op, dtype and root; `work` has memory and part. Numbers the call, chooses the algorithm and
/// runs it. A failure here fails the group.
Result<void> operate(GroupState& group, Call call, Work work, const CollectiveOptions& options);
/// Messages between two ranks have numbers of their own.
Result<void> operate_send(GroupState& group, Call call, const Work& work, std::uint32_t to,
                          const CollectiveOptions& options);
Result<void> operate_recv(GroupState& group, Call call, const Work& work, std::uint32_t from,
                          const CollectiveOptions& options);

/// How far the ranks are from each other: `near` where each can address what all have sent, `far` across a network.
enum class Distance : std::uint8_t { near, far };

/// The algorithm that `Algorithm::automatic` takes where the transport's own is not taken.
[[nodiscard]] Algorithm choose(Operation operation, std::uint64_t bytes, std::uint32_t ranks,
                               Distance distance) noexcept;

}  // namespace pintle::collective
