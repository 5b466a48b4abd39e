// Scenarios of what stands on buffers: pools, forks, arenas, handles.
#pragma once

#include "conformance/sweep/scenario.h"

namespace pintle::conformance {

/// What the memory scenarios count in.
using Words = std::vector<std::uint32_t>;

Result<void> pool_across_queues(Run& run);
Result<void> pool_at_its_cap(Run& run);
Result<void> pool_that_scrubs(Run& run);
Result<void> forks_written_in_turn(Run& run);
Result<void> forks_of_held_work(Run& run);
Result<void> host_memory_in_place(Run& run);
Result<void> arena_fed_and_read(Run& run);
Result<void> handle_that_flips(Run& run);
Result<void> handles_in_a_file(Run& run);
Result<void> images_in_turn(Run& run);

}  // namespace pintle::conformance
