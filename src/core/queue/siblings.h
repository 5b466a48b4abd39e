// The other queues of a device, as one of them sees them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/life/lock.h"
#include "core/time/worklist.h"
#include "pintle/error.h"

namespace pintle::core {

class Siblings {
 public:
  /// Runs a driven device until nothing is runnable. Takes the lock.
  virtual void drive() = 0;
  /// Gives these buffers bytes of their own, on a queue where nothing is held. Takes the lock.
  virtual Result<void> unshare_apart(const std::vector<std::uint64_t>& buffers) = 0;
  /// Passes what has become free to the worklist: memory, recordings, queues that nobody holds any more.
  virtual void dispose_finished(Worklist& worklist, const Locked& locked) noexcept = 0;

 protected:
  ~Siblings() = default;
};

}  // namespace pintle::core
