// Devices of vendors' libraries are quiet before the process ends.
#pragma once

#include <memory>

#include "core/life/life.h"

namespace pintle::core {

/// Registers the device with `exit`. Its end comes before the static objects of the libraries that it was opened with:
/// its work is finished, it counts as lost, and it is never destroyed. Older static objects of the user find it lost.
/// Where another thread is closing the device at that moment, `exit` waits until `presence` has expired.
void end_with_process(std::weak_ptr<Life::Body> device, std::weak_ptr<const void> presence);

}  // namespace pintle::core
