// Queues on a virtual clock: the clock stands still while no thread asks, and work takes no time on it. So everything
// that is due runs when a thread asks (`reached`, `wait`), in order, once, and never under a lock of core's.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "pintle/backend/driver.h"

namespace pintle::null {

/// Thread-safe.
class QueueTable {
 public:
  backend::QueueId create(const backend::QueueRequest& request);
  void destroy(backend::QueueId queue) noexcept;

  std::uint64_t submit(backend::QueueId queue, std::span<const backend::QueuePoint> waits,
                       const backend::Commands& commands);
  std::uint64_t reached(backend::QueueId queue);
  /// False when the deadline passes first, or at once when nothing is left that could reach `serial`.
  bool wait(backend::QueueId queue, std::uint64_t serial, Deadline deadline);

 private:
  struct Submission {
    std::vector<backend::QueuePoint> waits;
    std::vector<backend::HostCall> calls;
  };
  struct Queue {
    std::uint64_t submitted = 0;
    std::uint64_t reached = 0;
    std::deque<Submission> pending;
    bool running = false;  // a thread runs its first submission
  };

  void advance(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] std::optional<backend::QueueId> next_due();
  [[nodiscard]] bool is_due(const Queue& queue) const;
  [[nodiscard]] bool is_running() const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t last_id_ = 0;
  std::map<backend::QueueId, Queue> queues_;
  std::set<backend::QueueId> busy_;  // those with something pending
};

}  // namespace pintle::null
