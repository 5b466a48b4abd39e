// Whether this machine shows hardware beside its processors, without asking any vendor's library.
#pragma once

#include <filesystem>

namespace pintle::base {

/// False where every device node below `root`/dev is one that machines without accelerators have too: memory,
/// terminals, disks, clocks, input. GPUs and other accelerators are reached through nodes of their own
/// (/dev/dri/renderD*, /dev/nvidia*, /dev/kfd, /dev/dxg, /dev/accel), so that a driver can have none here. True for any
/// node that is not known, where /dev cannot be read, and on systems that have no such nodes. A millisecond.
[[nodiscard]] bool may_have_accelerators(const std::filesystem::path& root);

}  // namespace pintle::base
