// Messages as an operation takes them: of the same call, and of the size that is due.
#pragma once

#include <cstdint>

#include "collective/group/group_state.h"
#include "collective/group/mailbox.h"
#include "pintle/error.h"

namespace pintle::collective {

/// The message from `rank`, which has come. Another call (`invalid_argument`, with both) and another size fail the
/// group.
[[nodiscard]] Result<Message> take_message(GroupState& group, std::uint32_t rank, std::uint64_t bytes);

}  // namespace pintle::collective
