// Devices of vendors' libraries are quiet before the process ends.
#pragma once

#include <memory>

#include "pintle/deadline.h"

namespace pintle::core {

class EndsWithProcess {
 public:
  /// Finishes the driver's work until the deadline, then uses the driver no more.
  virtual void end(Deadline deadline) noexcept = 0;

 protected:
  ~EndsWithProcess() = default;
};

/// Registers the device with `exit`. Its end comes before the static objects of the libraries that it was opened with:
/// its work is finished, it counts as lost, and it is never destroyed. Older static objects of the user find it lost.
/// Where another thread is closing the device at that moment, `exit` waits until `presence` has expired.
void end_with_process(std::weak_ptr<EndsWithProcess> device, std::weak_ptr<const void> presence);

}  // namespace pintle::core
