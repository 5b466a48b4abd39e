// How the ranks of a group exchange notes, each waiting for those of all others.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/group/group_state.h"
#include "collective/transport.h"

namespace pintle::collective {

/// Collective among all ranks: notes by rank. For `Transport` and `agree`.
[[nodiscard]] Exchange exchange_of(GroupState& group);

/// Exchanges notes among `members` of a group that has failed. `step` numbers the steps of one rescue.
[[nodiscard]] Exchange rescue_exchange_of(GroupState& group, std::vector<std::uint32_t> members, std::uint64_t& step);

}  // namespace pintle::collective
