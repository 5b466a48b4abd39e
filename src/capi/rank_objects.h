// Groups of ranks and their queues behind handles.
#pragma once

#include <utility>

#include "capi/objects.h"
#include "pintle/c/group.h"
#include "pintle/c/group_queue.h"

namespace pintle::capi {

/// A group queue and the handle of the signal that its points name.
struct GroupQueueObject {
  GroupQueue queue;
  pintle_signal timeline;

  GroupQueueObject(GroupQueue its, pintle_signal signal) noexcept : queue(std::move(its)), timeline(signal) {}
  GroupQueueObject(const GroupQueueObject&) = delete;
  GroupQueueObject& operator=(const GroupQueueObject&) = delete;
  ~GroupQueueObject() { (void)Kind<pintle_signal>::table.release(timeline.id); }
};

PINTLE_C_KIND(pintle_rank_group, Group, 50, "rank group");
PINTLE_C_KIND(pintle_group_queue, GroupQueueObject, 51, "group queue");

}  // namespace pintle::capi
