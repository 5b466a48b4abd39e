// Devices of vendors' libraries are quiet before the process ends.
#pragma once

#include <memory>

namespace pintle::core {

class EndsWithProcess {
 public:
  /// Finishes what the driver has, with a deadline, then uses the driver no more.
  virtual void end() noexcept = 0;

 protected:
  ~EndsWithProcess() = default;
};

/// When `exit` runs what was registered with it, this comes before the static objects of the libraries that the device
/// was opened with: its work is finished, it counts as lost, and it is never destroyed. Static objects of the user that
/// are older find it so. A device that another thread is closing at that moment is waited for, until `presence` has
/// expired.
void end_with_process(std::weak_ptr<EndsWithProcess> device, std::weak_ptr<const void> presence);

}  // namespace pintle::core
