// All queues of a device, as one of them sees them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/buffers/stamps.h"
#include "core/life/lock.h"
#include "core/time/worklist.h"
#include "pintle/backend/command.h"
#include "pintle/error.h"
#include "pintle/signal.h"

namespace pintle::core {

/// A change of a buffer's bytes by a native submission.
struct Redirection {
  std::uint64_t buffer = 0;
  backend::MemoryId from = backend::MemoryId::none;
  std::uint64_t from_base = 0;
  backend::MemoryId to = backend::MemoryId::none;
  Stamp by{};
};

class QueueState;

class Siblings {
 public:
  /// Asks the backend how far every queue is. Needs no memory. Takes the lock.
  virtual Result<void> ask_all() = 0;
  /// Gives these buffers bytes of their own, on a queue where nothing is held. Takes the lock.
  virtual Result<void> unshare_apart(const std::vector<std::uint64_t>& buffers) = 0;
  /// Reserves memory, so that held submissions that name the buffer can be redirected; stamps them in `uses`.
  virtual void reserve_redirection(std::uint64_t buffer, Stamps& uses, const Locked& locked) = 0;
  /// Adds points of held submissions that name the buffer.
  virtual void add_held(std::uint64_t buffer, std::vector<Point>& points, const Locked& locked) = 0;
  /// Gives held submissions the new place of the buffer's bytes.
  virtual void redirect(const Redirection& redirection, const Locked& locked) noexcept = 0;
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
