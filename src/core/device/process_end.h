// Devices of vendors' libraries are quiet before the process ends.
#pragma once

#include <memory>

namespace pintle::core {

class Incarnation;

/// When `exit` runs what was registered with it, this comes before the static objects of the libraries that the device
/// was opened with: its work is finished, it counts as lost, and it is never destroyed. Static objects of the user that
/// are older find it so.
void end_with_process(const std::shared_ptr<Incarnation>& incarnation);

}  // namespace pintle::core
