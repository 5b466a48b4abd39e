// How the ranks of a rendezvous become a group.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "collective/group/group_state.h"
#include "collective/shm/rendezvous.h"
#include "pintle/deadline.h"
#include "pintle/error.h"

namespace pintle::collective {

/// The place of `rank` in a group of all ranks, of `generation` or a later one. Where ranks are processes and one ends
/// meanwhile, the others wait in the next generation for a process that takes its place. `timeout` names the ranks that
/// are missing at the deadline, `peer_lost` a rank whose place nobody takes.
[[nodiscard]] Result<std::shared_ptr<GroupState>> found(std::shared_ptr<Rendezvous> rendezvous, std::uint32_t rank,
                                                        std::uint64_t generation, const std::string& label,
                                                        Deadline deadline);

}  // namespace pintle::collective
