// All queues of a device, as one of them sees them.
#pragma once

#include "core/life/lock.h"
#include "core/time/worklist.h"
#include "pintle/error.h"

namespace pintle::core {

class QueueState;

/// `Queues`, which stands on `QueueState`. The interface turns that arrow around.
class Siblings {
 public:
  /// Asks the backend how far every queue is. Needs no memory. Takes the lock.
  virtual Result<void> ask_all() = 0;
  /// Passes what has become free to the worklist: memory, recordings, queues that have ended.
  virtual void dispose_finished(Worklist& worklist, const Locked& locked) noexcept = 0;
  /// Whether something that the user has dropped waits for the end of work: memory, a recording, a pool.
  [[nodiscard]] virtual bool has_dropped(const Locked& locked) const noexcept = 0;
  /// Passes a queue that has neither a handle nor work to the worklist.
  virtual void end(QueueState& queue, Worklist& worklist, const Locked& locked) noexcept = 0;

 protected:
  ~Siblings() = default;
};

}  // namespace pintle::core
