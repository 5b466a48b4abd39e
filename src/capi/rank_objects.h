// Groups of ranks and their queues behind handles.
#pragma once

#include "capi/objects.h"
#include "pintle/c/group.h"
#include "pintle/c/group_queue.h"

namespace pintle::capi {

PINTLE_C_KIND(pintle_rank_group, Group, 50, "rank group");
PINTLE_C_KIND(pintle_group_queue, QueueOf<GroupQueue>, 51, "group queue");

}  // namespace pintle::capi
