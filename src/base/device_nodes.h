// Whether this machine shows hardware beside its processors. No vendor's library is asked.
#pragma once

#include <filesystem>

namespace pintle::base {

/// False where every device node below `root`/dev is one that machines without accelerators have too: memory,
/// terminals, disks, clocks, input. GPUs and other accelerators have nodes of their own (/dev/dri/renderD*,
/// /dev/nvidia*, /dev/kfd, /dev/dxg, /dev/accel), so without such a node a driver has no device. True for any unknown
/// node, where /dev cannot be read, and on systems that have no such nodes. Takes a millisecond.
[[nodiscard]] bool may_have_accelerators(const std::filesystem::path& root);

}  // namespace pintle::base
